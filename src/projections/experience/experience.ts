import type { TraceEvent } from '../../domain/experience/events.ts';
import type { TraceOutcome } from '../../domain/experience/trace.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { digestOf } from '../../read-models/digest.ts';
import type { Projection } from '../projection.ts';
import { protect, type Tables } from '../../read-models/table.ts';
import { Recordset } from '../../read-models/recordset.ts';
import { insert, type Write } from '../write.ts';

const keyColumns = { tenant: 'text', day: 'text', bucket: 'text', arm: 'text', applied: 'boolean' } as const;
const counters = ['searches', 'success', 'partial_success', 'failure'] as const;
const columns = {
  ...keyColumns,
  searches: 'bigint',
  success: 'bigint',
  partial_success: 'bigint',
  failure: 'bigint',
} as const;
const added = new Recordset(columns);

type Counter = (typeof counters)[number];

/**
 * How searches with experience ended, by day, kind of question and parameters. Numbers of a tenant only: nothing in it says what was
 * asked or by whom. Only sums, whose order does not matter.
 */
export const experience: Projection = {
  name: 'experience',
  version: 1,
  handles: ['ReasoningTraceRecorded', 'ReasoningTraceResolved'],
  tables: ['experience'],
  create: (tables) => [
    `create table ${tables('experience')} (
      tenant text not null,
      day text not null,
      bucket text not null,
      arm text not null,
      applied boolean not null,
      searches bigint not null,
      success bigint not null,
      partial_success bigint not null,
      failure bigint not null,
      primary key (tenant, day, bucket, arm, applied)
    )`,
    ...protect(tables('experience')),
  ],
  plan: (events, _, tables) => Promise.resolve(plan(events as readonly LoadedEvent<TraceEvent>[], tables)),
  holds: { nothing: 'counts of searches' },
  digest: (tables) => digestOf(tables('experience'), columns),
};

function plan(events: readonly LoadedEvent<TraceEvent>[], tables: Tables): Write {
  const rows = new Map<string, Record<string, unknown> & Record<Counter, number>>();
  for (const { event, metadata, time } of events) {
    if (event.type === 'ReasoningTraceErased' || event.data.experience === undefined) continue;
    const { bucket, arm, applied } = event.data.experience;
    const day = event.type === 'ReasoningTraceResolved' ? event.data.day : time.toISOString().slice(0, 10);
    const key = { tenant: metadata.tenant, day, bucket, arm, applied };
    const name = JSON.stringify(key);
    const row = rows.get(name) ?? { ...key, searches: 0, success: 0, partial_success: 0, failure: 0 };
    rows.set(name, row);
    if (event.type === 'ReasoningTraceRecorded') row.searches++;
    else {
      if (isCounted(event.data.outcome)) row[event.data.outcome]++;
      if (isCounted(event.data.before)) row[event.data.before]--;
    }
  }
  const inOrder = [...rows].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, row]) => row);
  return insert(
    tables('experience'),
    added,
    inOrder,
    `on conflict (tenant, day, bucket, arm, applied) do update set
       ${counters.map((counter) => `${counter} = t.${counter} + excluded.${counter}`).join(', ')}`,
  );
}

function isCounted(outcome: TraceOutcome): outcome is Exclude<TraceOutcome, 'pending'> {
  return outcome !== 'pending';
}
