import type { Projection } from '@stratalog/client';
import { useRef } from 'preact/hooks';
import { useSession } from '../../app/session.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog, type DialogHandle } from '../../ui/dialog.tsx';
import { Generations } from './generations.tsx';
import { liveOf, progressOf, readyOf, standbyOf } from './read-model-state.ts';
import { Rebuild } from './rebuild.tsx';

/** One read model: its state, the progress of a rebuild, its generations and its commands. */
export function ReadModel({ model }: { readonly model: Projection }) {
  const { may } = useSession();
  const rebuild = useRef<DialogHandle>(null);
  const { name, rebuilding, parked } = model;
  const live = liveOf(model);
  const ready = readyOf(model);
  const standby = standbyOf(model);
  const lag = live?.lag ?? 0;
  return (
    <li>
      <div class="follower-head">
        <strong>{name}</strong>
        <span class="badges">
          <Badge tone={lag === 0 ? 'good' : 'plain'}>
            {lag === 0 ? 'up to date' : `${lag.toLocaleString()} behind`}
          </Badge>
          {live === undefined && <Badge tone="warn">no live generation</Badge>}
          {live?.lock === 'free' && <Badge tone="warn">run by no process</Badge>}
          {parked.length > 0 && <Badge tone="danger">{parked.length} parked</Badge>}
          {rebuilding && <Badge tone="accent">rebuilding generation {rebuilding.generation}</Badge>}
          {ready && <Badge tone="accent">generation {ready.generation} ready</Badge>}
        </span>
        <span class="panel-actions">
          {ready && may('switchProjection') && (
            <Confirm
              name="admin.projections.switch"
              args={[name]}
              kind="primary"
              label="Switch"
              title={`Switch ${name}`}
            >
              <p>
                Queries then read generation {ready.generation} instead of {live?.generation ?? 'none'}.{' '}
                {ready.equal === undefined
                  ? 'Its content was not compared with the live one.'
                  : ready.equal
                    ? 'Both have the same content.'
                    : 'Their content differs.'}{' '}
                The old one stays up to date, and a roll-back returns to it.
              </p>
            </Confirm>
          )}
          {rebuilding && may('rollbackProjection') && (
            <Confirm
              name="admin.projections.rollback"
              args={[name]}
              kind="danger"
              label="Cancel the rebuild"
              title={`Cancel the rebuild of ${name}`}
            >
              <p>
                Generation {rebuilding.generation} is dropped, with all that it has read so far. Queries are
                not affected.
              </p>
            </Confirm>
          )}
          {!rebuilding && standby && may('rollbackProjection') && (
            <Confirm
              name="admin.projections.rollback"
              args={[name]}
              label="Roll back"
              title={`Roll ${name} back`}
            >
              <p>
                Queries read generation {standby.generation} again
                {standby.lag > 0 && `, which is ${standby.lag.toLocaleString()} positions behind`}. Generation{' '}
                {live?.generation} stays.
              </p>
            </Confirm>
          )}
          {!rebuilding && may('rebuildProjection') && (
            <Button kind="quiet" onClick={() => rebuild.current?.show()}>
              Rebuild
            </Button>
          )}
        </span>
      </div>
      {rebuilding && <Progress {...rebuilding} />}
      <details>
        <summary>
          {model.generations.length} {model.generations.length === 1 ? 'generation' : 'generations'}
        </summary>
        <Generations model={model} />
      </details>
      <Dialog handle={rebuild} title={`Rebuild ${name}`}>
        <Rebuild name={name} onDone={() => rebuild.current?.close()} />
      </Dialog>
    </li>
  );
}

function Progress({ position, head }: { readonly position: number; readonly head: number }) {
  const share = progressOf({ position, head });
  return (
    <label class="progress">
      <progress max={1} value={share} />
      <span class="muted">
        {Math.floor(share * 100)} %: position {position.toLocaleString()} of {head.toLocaleString()}
      </span>
    </label>
  );
}
