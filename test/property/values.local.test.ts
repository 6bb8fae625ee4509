import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoadedEvent } from '../../src/ports/event-store.ts';
import { tablesOf } from '../../src/projections/projection.ts';
import { values } from '../../src/projections/values/values.ts';
import { assertWithin } from '../support/assert-within.ts';
import { openTestStore, type TestStore } from '../support/event-store.ts';
import { expectNoErasedRows, planned, rowsAfter } from '../support/read-models.ts';

const memories = Array.from({ length: 4 }, (_, n) => `019a0000-0000-7000-8000-00000000000${n}`);
const tenants = ['acme', 'globex'];

type Result = { memoryId: string; relevance: number; used: boolean };
type Step =
  | { kind: 'use'; tenant: string; search: number; results: Result[] }
  | { kind: 'erase'; tenant: string; memoryId: string };

const memoryId = fc.constantFrom(...memories);
const tenant = fc.constantFrom(...tenants);
/** What a search has shown is the same in each of its outcomes; what was used may change, and all of it may be withdrawn. */
const shownIn = (search: number): string[] => memories.filter((_, n) => n !== search);
const use = fc
  .record({
    kind: fc.constant('use' as const),
    tenant,
    search: fc.nat(2),
    used: fc.array(fc.boolean(), { minLength: memories.length, maxLength: memories.length }),
    isWithdrawn: fc.boolean(),
  })
  .map(({ used, isWithdrawn, ...step }) => ({
    ...step,
    results: isWithdrawn
      ? []
      : shownIn(step.search).map((id, n) => ({ memoryId: id, relevance: n / 10, used: used[n]! })),
  }));
const erase = fc.record({ kind: fc.constant('erase' as const), tenant, memoryId });
/** Each memory is erased at most once. */
const steps: fc.Arbitrary<Step[]> = fc
  .array(fc.oneof({ weight: 3, arbitrary: use }, { weight: 1, arbitrary: erase }), {
    minLength: 2,
    maxLength: 20,
  })
  .map((all: Step[]) =>
    all.filter(
      (step, at) =>
        step.kind === 'use' ||
        all.findIndex(
          (other) =>
            other.kind === 'erase' && other.tenant === step.tenant && other.memoryId === step.memoryId,
        ) === at,
    ),
  );
const dice = fc.array(fc.nat(1_000), { minLength: 12, maxLength: 40 }).map((numbers) => {
  let at = 0;
  return (n: number): number => numbers[at++ % numbers.length]! % n;
});

function eventOf(step: Step, index: number): LoadedEvent {
  const isUse = step.kind === 'use';
  const event = isUse
    ? {
        type: 'UseObserved',
        data: {
          searchId: `s${step.search}`,
          // The user is that of the search, so always the same.
          ...(step.search > 0 && { user: `user${step.search}` }),
          askedAt: 1,
          results: step.results,
        },
      }
    : { type: 'MemoryErased', data: { memoryId: step.memoryId, keyId: 'k' } };
  const stream = isUse ? `outcome-${step.tenant}.s${step.search}` : `memory-${step.tenant}.${step.memoryId}`;
  return { event, stream, position: index + 1, metadata: { tenant: step.tenant } } as unknown as LoadedEvent;
}

let test: TestStore;

beforeAll(async () => {
  test = await openTestStore();
});

afterAll(() => test.close());

describe('the read model of values', () => {
  it('[C5] [F6] has no row of an erased memory, and the same rows for every order of the streams', async () => {
    await assertWithin(
      fc.asyncProperty(steps, dice, async (history, choose) => {
        const erasures = history.flatMap((step) => (step.kind === 'erase' ? [step] : []));
        await expectNoErasedRows(test, values, history.map(eventOf), erasures, choose);
      }),
      { numRuns: 20, limitMs: 12_000 },
    );
  }, 60_000);

  it('[C5] keeps the counts of other memories, of other tenants, and that something was used', async () => {
    const [gone, kept] = memories as [string, string];
    const shown = [
      { memoryId: gone, relevance: 0.5, used: true },
      { memoryId: kept, relevance: 0.25, used: false },
    ];
    const history: Step[] = [
      { kind: 'use', tenant: 'acme', search: 1, results: shown },
      { kind: 'use', tenant: 'globex', search: 1, results: shown },
      { kind: 'erase', tenant: 'acme', memoryId: gone },
      // The outcome is observed again, after the erasure.
      { kind: 'use', tenant: 'acme', search: 1, results: shown.map((one) => ({ ...one, used: true })) },
    ];
    const rows = await rowsAfter(
      test,
      values,
      history.map((step, index) => [eventOf(step, index)]),
    );
    expect(rows['values']).toEqual(
      expect.arrayContaining([
        { tenant: 'acme', memory_id: kept, asker: 'user1', uses: 1, expected: 250_000 },
        { tenant: 'globex', memory_id: gone, asker: 'user1', uses: 1, expected: 500_000 },
        { tenant: 'globex', memory_id: kept, asker: 'user1', uses: 0, expected: 250_000 },
      ]),
    );
    expect(rows['values']).toHaveLength(3);
    const [own] = rows['value_searches']!.filter((row) => row['tenant'] === 'acme');
    expect(own).toMatchObject({ is_used: true, results: [{ memoryId: kept, relevance: 0.25, used: true }] });
  });

  it('[F4] has the same row in any division into batches if a question was erased between two outcomes', async () => {
    const used: Step = { kind: 'use', tenant: 'acme', search: 1, results: [] };
    const [first, last] = [eventOf(used, 0), eventOf(used, 1)];
    const asked = { ...first, event: { ...first.event, data: { ...first.event.data, question: 'key' } } };
    const events = [asked as LoadedEvent, last];
    const expected = await rowsAfter(test, values, [events]);
    expect(
      await rowsAfter(
        test,
        values,
        events.map((event) => [event]),
      ),
    ).toEqual(expected);
    expect(expected['value_searches']).toMatchObject([{ question: 's1' }]);
  });

  it('[C5] [F6] has none if two processes apply the erasure and an outcome at the same time', async () => {
    const { sql } = test;
    const [gone, kept] = memories as [string, string];
    const results = [
      { memoryId: gone, relevance: 0.5, used: true },
      { memoryId: kept, relevance: 0.25, used: true },
    ];
    const used: Step = { kind: 'use', tenant: 'acme', search: 1, results };
    const erased: Step = { kind: 'erase', tenant: 'acme', memoryId: gone };
    for (const [n, order] of [
      [used, erased],
      [erased, used],
    ].entries()) {
      const tables = tablesOf(900 + n);
      for (const statement of values.create(tables)) await sql.query(statement);
      // Both are planned before one of them is written.
      const writes = await Promise.all(
        order.map((step, index) => planned(test, values, 900 + n, [eventOf(step, index)])),
      );
      for (const write of writes) await sql.transaction(write);
      expect(await sql.query(`select memory_id, uses from ${tables('values')}`)).toEqual([
        { memory_id: kept, uses: 1 },
      ]);
      expect(await sql.query(`select is_used, results from ${tables('value_searches')}`)).toEqual([
        { is_used: true, results: [results[1]] },
      ]);
    }
  });
});
