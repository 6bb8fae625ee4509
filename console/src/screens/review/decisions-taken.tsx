import { Button } from '../../ui/button.tsx';
import { pastOf } from './decisions.ts';
import type { Decisions } from './use-decisions.ts';

/** The decisions of this visit, each of which can be taken back. */
export function DecisionsTaken({ decisions }: { readonly decisions: Decisions }) {
  const { taken, refusals, isRunning, undo } = decisions;
  return (
    <div role="status">
      {taken.length > 0 && (
        <ul class="taken">
          {taken.map((one, index) => {
            const refusal = one.ids.map((id) => refusals[id]).find(Boolean);
            return (
              <li key={`${one.decision} ${one.ids.join()}`}>
                {pastOf(one.decision, one.ids.length)}.
                <Button kind="quiet" disabled={isRunning} onClick={() => void undo(one)}>
                  Undo {index === 0 && <kbd>u</kbd>}
                </Button>
                {refusal && <span class="refused">Not undone: {refusal.detail}</span>}
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}
