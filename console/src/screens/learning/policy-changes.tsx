import type { AuditEvent } from '@stratalog/client';
import { Link } from '../../app/address.tsx';
import { useLiveEvents } from '../../app/live.tsx';
import { useAsk } from '../../app/use-ask.ts';
import { Answer } from '../../ui/answer.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Panel } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { gainText } from './verdicts.ts';
import { changeOf } from './changes.ts';

const types = ['PolicyPromoted', 'PolicyRolledBack', 'PolicyCompared'];

/** Every look at the evidence and every change of what is in force, newest first. */
export function PolicyChanges() {
  // Reading the audit is recorded as an event itself.
  const events = useAsk('audit.events', [{ type: types, limit: 100, order: 'newest' }], { once: true });
  useLiveEvents((arrived) => {
    if (arrived.some(({ type }) => types.includes(type))) events.repeat();
  });
  return (
    <Panel title="Looks and changes" note="from the audit, newest first">
      <Answer of={events} what="the changes">
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="Nothing was compared yet">
              A candidate is compared after 50 decisions that took its route.
            </Empty>
          ) : (
            <Changes events={items} />
          )
        }
      </Answer>
    </Panel>
  );
}

function Changes({ events }: { readonly events: readonly AuditEvent[] }) {
  return (
    <Table
      label="Looks and changes"
      rows={events.map((event) => ({ event, change: changeOf(event) }))}
      keyOf={({ event }) => event.id}
      columns={[
        { name: 'When', cell: ({ event }) => <Time at={event.at} /> },
        {
          name: 'What',
          cell: ({ change }) => (
            <>
              <Badge tone={change.tone}>{change.what}</Badge> {change.note}
            </>
          ),
        },
        { name: 'By', cell: ({ change, event }) => (change.isOwn ? 'the server' : event.actor) },
        {
          name: 'Estimated gain',
          cell: ({ change }) => (change.gain ? gainText(change.gain) : '–'),
        },
        {
          name: 'Event',
          cell: ({ event }) => (
            <Link to="/audit" values={{ event: event.id, type: event.type }}>
              {event.type}
            </Link>
          ),
        },
      ]}
    />
  );
}
