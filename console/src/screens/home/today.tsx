import { useState } from 'preact/hooks';
import type { AuditEvent } from '@stratalog/client';
import { Link } from '../../app/address.tsx';
import { useLiveEvents, useLiveState } from '../../app/live.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Panel } from '../../ui/page.tsx';
import { Figure } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { counted, noEvents, type Counts } from './counts.ts';

const shownEvents = 8;

/** What happens in the tenant while the page is open. */
export function Today() {
  const state = useLiveState();
  const [counts, setCounts] = useState<Counts>(noEvents);
  const [latest, setLatest] = useState<readonly AuditEvent[]>([]);
  useLiveEvents((events) => {
    setCounts((before) => counted(before, events));
    setLatest((before) => [...events.slice(-shownEvents).reverse(), ...before].slice(0, shownEvents));
  });
  return (
    <Panel
      title="Happening now"
      note={state === 'live' ? 'since this page was opened' : 'waiting for the audit stream'}
      actions={<Link to="/audit">All events</Link>}
    >
      <div class="figures" aria-live="off">
        <Figure name="Stored or changed" value={counts.changes.toLocaleString()} />
        <Figure name="Searches and contexts" value={counts.searches.toLocaleString()} />
        <Figure name="Other reads" value={counts.reads.toLocaleString()} />
        <Figure name="All events" value={counts.all.toLocaleString()} />
      </div>
      {latest.length === 0 ? (
        <Empty title="Nothing has happened yet">Store or search something, here or with an agent.</Empty>
      ) : (
        <ul class="plain-list">
          {latest.map(({ id, type, actor, at }) => (
            <li key={id}>
              <Link to="/audit" values={{ event: id, type }}>
                {type}
              </Link>{' '}
              <span class="muted">
                {actor}, <Time at={at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
