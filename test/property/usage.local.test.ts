import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoadedEvent } from '../../src/ports/event-store.ts';
import { tablesOf } from '../../src/projections/projection.ts';
import { usage } from '../../src/projections/usage/usage.ts';
import { assertWithin } from '../support/assert-within.ts';
import { openTestStore, type TestStore } from '../support/event-store.ts';
import { expectNoErasedRows, planned, rowsAfter } from '../support/read-models.ts';

const memories = Array.from({ length: 4 }, (_, n) => `019a0000-0000-7000-8000-00000000000${n}`);
const tenants = ['acme', 'globex'];

type Step =
  | { kind: 'access'; tenant: string; search: number; memoryIds: string[] }
  | { kind: 'feedback'; tenant: string; memoryId: string; score: number }
  | { kind: 'erase'; tenant: string; memoryId: string };

const tenant = fc.constantFrom(...tenants);
const memoryId = fc.constantFrom(...memories);
const access = fc.record({
  kind: fc.constant('access' as const),
  tenant,
  search: fc.nat(2),
  memoryIds: fc.uniqueArray(memoryId, { minLength: 1 }),
});
const feedback = fc.record({
  kind: fc.constant('feedback' as const),
  tenant,
  memoryId,
  score: fc.constantFrom(-1, -0.5, 1),
});
const erase = fc.record({ kind: fc.constant('erase' as const), tenant, memoryId });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: access },
    { weight: 1, arbitrary: feedback },
    { weight: 1, arbitrary: erase },
  ),
  { minLength: 2, maxLength: 20 },
);
const dice = fc.array(fc.nat(1_000), { minLength: 12, maxLength: 40 }).map((numbers) => {
  let at = 0;
  return (n: number): number => numbers[at++ % numbers.length]! % n;
});

function eventOf(step: Step, index: number): LoadedEvent {
  const { event, stream } = typed(step);
  const time = new Date(1_000 * index);
  return {
    event,
    stream,
    position: index + 1,
    time,
    metadata: { tenant: step.tenant },
  } as unknown as LoadedEvent;
}

function typed(step: Step) {
  switch (step.kind) {
    case 'access': {
      const { search, memoryIds, tenant: of } = step;
      const data = { searchId: `s${search}`, how: 'search', memoryIds };
      return { event: { type: 'MemoriesAccessed', data }, stream: `retrieval-${of}.s${search}` };
    }
    case 'feedback': {
      const { memoryId: id, score, tenant: of } = step;
      const data = { memoryId: id, kind: 'helpful', score, isAuthoritative: false };
      return { event: { type: 'FeedbackGiven', data }, stream: `feedback-${of}.${id}` };
    }
    case 'erase': {
      const { memoryId: id, tenant: of } = step;
      return {
        event: { type: 'MemoryErased', data: { memoryId: id, keyId: 'k' } },
        stream: `memory-${of}.${id}`,
      };
    }
  }
}

let test: TestStore;

beforeAll(async () => {
  test = await openTestStore();
});

afterAll(() => test.close());

const [gone, kept] = memories as [string, string];
const accessed: Step = { kind: 'access', tenant: 'acme', search: 1, memoryIds: [gone, kept] };
const erased: Step = { kind: 'erase', tenant: 'acme', memoryId: gone };
const keptRow = expect.objectContaining({ tenant: 'acme', memory_id: kept, accesses: 1 }) as unknown;

describe('the read model of uses', () => {
  it('[F6] has no row of an erased memory, and the same rows for every order of the streams', async () => {
    await assertWithin(
      fc.asyncProperty(steps, dice, async (history, choose) => {
        const erasures = history.flatMap((step) => (step.kind === 'erase' ? [step] : []));
        await expectNoErasedRows(test, usage, history.map(eventOf), erasures, choose);
      }),
      { numRuns: 20, limitMs: 12_000 },
    );
  }, 60_000);

  it('keeps the counters of other memories, and of other tenants', async () => {
    const history: Step[] = [
      accessed,
      { ...accessed, tenant: 'globex' },
      { kind: 'feedback', tenant: 'acme', memoryId: gone, score: -0.5 },
      erased,
      { kind: 'feedback', tenant: 'acme', memoryId: gone, score: 1 },
      { kind: 'feedback', tenant: 'globex', memoryId: gone, score: 1 },
    ];
    const rows = await rowsAfter(
      test,
      usage,
      history.map((step, index) => [eventOf(step, index)]),
    );
    const counted = (tenant: string, memory: string, feedbacks = 0) =>
      expect.objectContaining({
        tenant,
        memory_id: memory,
        accesses: 1,
        feedbacks,
        feedback_sum: 1_000 * feedbacks,
      }) as unknown;
    expect(rows['usage']).toHaveLength(3);
    expect(rows['usage']).toEqual(
      expect.arrayContaining([counted('acme', kept), counted('globex', gone, 1), counted('globex', kept)]),
    );
  });

  it('[F6] has none if two processes apply the erasure and an access at the same time', async () => {
    const { sql } = test;
    for (const [n, order] of [
      [accessed, erased],
      [erased, accessed],
    ].entries()) {
      const tables = tablesOf(900 + n);
      for (const statement of usage.create(tables)) await sql.query(statement);
      // Both are planned before one of them is written.
      const writes = await Promise.all(
        order.map((step, index) => planned(test, usage, 900 + n, [eventOf(step, index)])),
      );
      for (const write of writes) await sql.transaction(write);
      const rows = await sql.query(`select * from ${tables('usage')}`);
      expect(rows).toEqual([keptRow]);
    }
  });
});
