import { afterAll, beforeAll, expect, it } from 'vitest';
import { deterministicEmbedder } from '../../src/adapters/deterministic/embedder.ts';
import type { LoadedEvent } from '../../src/ports/event-store.ts';
import { tablesOf, type Projection } from '../../src/projections/projection.ts';
import { traces } from '../../src/projections/traces/traces.ts';
import { openTestStore, type TestStore } from '../support/event-store.ts';
import { planned, rowsAfter } from '../support/read-models.ts';
import { soleEmbedder } from '../support/sole-embedder.ts';

const projection = traces(soleEmbedder(deterministicEmbedder({ dimension: 16 }))) as Projection;
const [gone, kept] = ['019a0000-0000-7000-8000-000000000001', '019a0000-0000-7000-8000-000000000002'];
const traceId = '019a0000-0000-7000-8000-00000000000a';
const experience = { bucket: 'all', arm: 'default', applied: true, explored: false };

function eventOf(type: string, data: object, tenant = 'acme'): LoadedEvent {
  const event = { type, data };
  const stream = type === 'MemoryErased' ? `memory-${tenant}.${gone}` : `trace-${tenant}.${traceId}`;
  const metadata = { tenant, actor: 'key:1' };
  return { event, stream, position: 1, time: new Date(0), metadata } as unknown as LoadedEvent;
}

const ids = { memoryIds: [gone, kept] };
const own = { traceId, layer: 'user', scope: { user: 'ada' }, query: 'Which index?', approach: 'default' };
const recordedAs = (origin: 'search' | 'caller', tenant?: string) =>
  eventOf('ReasoningTraceRecorded', { ...own, ...ids, origin, outcome: 'pending', experience }, tenant);
const recorded = recordedAs('search');
const resolved = eventOf('ReasoningTraceResolved', {
  traceId,
  outcome: 'success',
  before: 'pending',
  helpfulIds: [gone, kept],
  experience,
  day: '2026-11-27',
});
const erased = eventOf('MemoryErased', { memoryId: gone, keyId: 'k' });

let test: TestStore;
beforeAll(async () => {
  test = await openTestStore();
});
afterAll(() => test.close());

const orders: Record<string, LoadedEvent[][]> = {
  'at last': [[recorded], [resolved], [erased]],
  'before the outcome': [[recorded], [erased], [resolved]],
  'before the trace': [[erased], [recorded], [resolved]],
  'before the trace, which comes with its outcome': [[erased], [recorded, resolved]],
  'in one batch with both': [[recorded, erased, resolved]],
};

it.each(Object.entries(orders))(
  '[F6] the trace of a search loses the id of a memory that is erased %s',
  async (_, batches) => {
    const { traces: rows } = await rowsAfter(test, projection, batches);
    expect(rows).toHaveLength(1);
    const { memories, outcome, trace } = rows![0]!;
    expect([memories, outcome]).toEqual([[kept], 'success']);
    expect(trace).toMatchObject({ traceId, memoryIds: [kept], helpfulIds: [kept] });
    expect(JSON.stringify(rows)).not.toContain(gone);
  },
);

it('[F6] it loses it also if two processes apply the erasure and the trace at the same time', async () => {
  for (const [n, order] of [
    [recorded, erased],
    [erased, recorded],
  ].entries()) {
    const tables = tablesOf(900 + n);
    for (const statement of projection.create(tables)) await test.sql.query(statement);
    // Both are planned before one of them is written.
    const writes = await Promise.all(order.map((event) => planned(test, projection, 900 + n, [event])));
    for (const write of writes) await test.sql.transaction(write);
    const rows = await test.sql.query(`select memories, trace->'memoryIds' as ids from ${tables('traces')}`);
    expect(rows).toEqual([{ memories: [kept], ids: [kept] }]);
  }
});

it('[F6] the traces of other tenants keep it, and those of callers until they are erased themselves', async () => {
  const batches = [[recordedAs('caller')], [recordedAs('search', 'globex')], [erased]];
  const { traces: rows } = await rowsAfter(test, projection, batches);
  expect(rows!.map(({ tenant, memories }) => [tenant, memories])).toEqual([
    ['acme', [gone, kept]],
    ['globex', [gone, kept]],
  ]);
});
