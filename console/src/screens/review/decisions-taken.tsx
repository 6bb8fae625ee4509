import type { Review } from '@stratalog/client';
import { Button } from '../../ui/button.tsx';
import { pastOf } from './decisions.ts';
import type { Decisions } from './use-decisions.ts';

interface DecisionsTakenProps {
  readonly decisions: Decisions;
  readonly listed: readonly Review[];
}

/** The decisions of this visit, each of which can be taken back, and why others were refused whose reviews have left the list. */
export function DecisionsTaken({ decisions, listed }: DecisionsTakenProps) {
  const { taken, refusals, asked, isRunning, undo } = decisions;
  const shown = new Set([...listed.map(({ id }) => id), ...taken.flatMap(({ ids }) => ids)]);
  const lost = asked.flatMap((id) => (shown.has(id) ? [] : (refusals[id]?.detail ?? [])));
  return (
    <div role="status">
      {lost.length > 0 && (
        <p class="refused">
          {lost.length === 1 ? 'Not decided' : `${lost.length.toLocaleString()} not decided`}: {lost[0]}
        </p>
      )}
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
