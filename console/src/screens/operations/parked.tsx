import type { ListProjectionsAnswer } from '@stratalog/client';
import { useSession } from '../../app/session.tsx';
import { useChange } from '../../app/use-ask.ts';
import { Trouble } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Panel } from '../../ui/page.tsx';
import { parkedOf, type ParkedStream } from './read-model-state.ts';

/** Streams that wait because one of their events cannot be applied. Nothing if there are none. */
export function Parked({ answer }: { readonly answer: ListProjectionsAnswer }) {
  const parked = parkedOf(answer);
  if (parked.length === 0) return null;
  return (
    <Panel title="Parked streams" note="later events of these streams wait; all other streams go on">
      <ul class="followers">
        {parked.map((one) => (
          <ParkedRow key={`${one.owner} ${one.generation ?? ''} ${one.stream}`} parked={one} />
        ))}
      </ul>
    </Panel>
  );
}

function ParkedRow({ parked }: { readonly parked: ParkedStream }) {
  const { owner, generation, stream, position, type, error } = parked;
  const { may } = useSession();
  const retry = useChange('admin.projections.retry');
  return (
    <li>
      <div class="follower-head">
        <strong>{owner}</strong>
        <span class="muted">
          {type} at position {position.toLocaleString()}
          {generation !== undefined && `, generation ${generation}`}
        </span>
        <span class="panel-actions">
          {may('retryParkedStream') && (
            <Button disabled={retry.isRunning} onClick={() => void retry.run([owner, { stream }])}>
              Try again
            </Button>
          )}
          {may('skipParkedEvent') && (
            <Confirm
              name="admin.projections.skip"
              args={[owner, { stream }]}
              kind="danger"
              label="Skip the event"
              title={`Skip an event of ${owner}`}
            >
              <p>
                {generation === undefined
                  ? `${owner} gives the event up: what ${type} asked for is never done.`
                  : `${owner} leaves ${type} out and applies the later events of the stream. The next rebuild tries it again.`}{' '}
                The event stays in the log, and the skip is recorded.
              </p>
            </Confirm>
          )}
        </span>
      </div>
      <code class="wrap">{stream}</code>
      <p class="problem">{error}</p>
      {retry.error && <Trouble error={retry.error} />}
    </li>
  );
}
