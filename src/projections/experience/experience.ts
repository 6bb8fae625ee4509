import type { TraceEvent } from '../../domain/experience/events.ts';
import type { TraceOutcome } from '../../domain/experience/trace.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { Table, type Draft, type Row, type Tables } from '../../read-models/table.ts';
import { declaredBy, type Projection } from '../projection.ts';
import { upsert, type Write } from '../write.ts';

const counts = new Table('experience', {
  columns: {
    tenant: 'text',
    day: 'text',
    bucket: 'text',
    arm: 'text',
    applied: 'boolean',
    searches: 'bigint',
    success: 'bigint',
    partial_success: 'bigint',
    failure: 'bigint',
  },
  key: ['tenant', 'day', 'bucket', 'arm', 'applied'],
  combined: { searches: 'sum', success: 'sum', partial_success: 'sum', failure: 'sum' },
});

/**
 * How searches with experience ended, by day, kind of question and parameters. Numbers of a tenant only: nothing in it says what was
 * asked or by whom. Only sums, whose order does not matter.
 */
export const experience: Projection = {
  name: 'experience',
  version: 1,
  handles: ['ReasoningTraceRecorded', 'ReasoningTraceResolved'],
  ...declaredBy(counts),
  plan: (events, _, tables) => Promise.resolve(plan(events as readonly LoadedEvent<TraceEvent>[], tables)),
  holds: { nothing: 'counts of searches' },
};

function plan(events: readonly LoadedEvent<TraceEvent>[], tables: Tables): Write {
  const rows = new Map<string, Draft<Row<typeof counts>>>();
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
  return upsert(tables, counts, inOrder);
}

function isCounted(outcome: TraceOutcome): outcome is Exclude<TraceOutcome, 'pending'> {
  return outcome !== 'pending';
}
