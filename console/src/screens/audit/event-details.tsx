import type { AuditEvent } from '@stratalog/client';
import { Link, useAddress } from '../../app/address.tsx';
import { useSession } from '../../app/session.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Facts } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { CauseChain } from './cause-chain.tsx';
import { memoriesOf } from './describe.ts';

/** At most this many links to memories: a search may name a thousand. */
const maxLinks = 20;

/** All fields of an event, its causes and effects, and links to related views. */
export function EventDetails({ event }: { readonly event: AuditEvent }) {
  const { set } = useAddress();
  const { may } = useSession();
  const { data, type, actor, correlationId, position, ...rest } = event;
  const memories = memoriesOf(data);
  return (
    <div class="event-details">
      <Facts
        facts={[
          ['Type', type],
          ['Time', <Time key="time" at={event.at} exact />],
          ['Position', position],
          ['Actor', actor],
          ['For', rest.onBehalfOf],
          ['Credential', rest.principal],
          ['Cause', rest.cause],
          ['Reason', rest.reason],
          ['Stream', `${rest.stream}, revision ${rest.revision}`],
          ['Event id', rest.id],
          ['Command', rest.commandId],
          ['Correlation', correlationId],
          ['Caused by event', rest.causationId],
          ['Trace', rest.traceId],
          ['Person (pseudonym)', rest.subject],
          ['Hash of the body', rest.bodyHash],
          ['Hash', rest.hash],
          ['Conflicts', rest.seeksConflicts && 'contradictions are searched for after the answer'],
          ['Content', rest.erased ? 'erased: only what was never encrypted is left' : undefined],
        ]}
      />
      {memories.length > 0 && (
        <p>
          Memories:{' '}
          {memories.slice(0, maxLinks).map((id) => (
            <Link key={id} to={`/memories/${id}`} class="memory-link">
              {id}
            </Link>
          ))}
          {memories.length > maxLinks && ` and ${memories.length - maxLinks} more`}
        </p>
      )}
      <pre tabIndex={0}>{JSON.stringify(data, null, 2)}</pre>
      <CauseChain event={event} />
      <div class="commands">
        <Button kind="quiet" onClick={() => set({ actor }, 'push')}>
          Only this actor
        </Button>
        <Button kind="quiet" onClick={() => set({ type, group: undefined }, 'push')}>
          Only this type
        </Button>
        {may('proveEvent') && (
          <Link to="/proof" values={{ position }}>
            Prove it
          </Link>
        )}
        <CopyButton text={JSON.stringify(event, null, 2)} label="Copy as JSON" />
      </div>
    </div>
  );
}
