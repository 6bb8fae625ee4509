import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { roles } from '../../src/domain/access/context.ts';
import { isVisible, visible, visibleInCounts } from '../../src/domain/access/visibility.ts';
import { layers, scopeKeys } from '../../src/domain/layers.ts';
import type { MemoryValue } from '../../src/domain/memory/memory.ts';
import type { Vocabulary } from '../../src/domain/routing/vocabulary.ts';
import type { VocabularyRequest } from '../../src/domain/routing/vocabulary-request.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { WakeUp } from '../../src/support/wake-up.ts';
import { fields } from '../../src/projections/fields/fields.ts';
import { Generation } from '../../src/projections/generation.ts';
import { ensureLive } from '../../src/projections/generations.ts';
import { ReadModels } from '../../src/queries/read-models.ts';
import { questionPlanner } from '../../src/queries/routing/question-planner.ts';
import { VocabularyReader } from '../../src/queries/routing/vocabulary.ts';
import { assertWithin } from '../support/assert-within.ts';
import { anyCaller } from '../support/callers.ts';
import { openTestStore, storeTestMemory, type TestStore } from '../support/event-store.ts';
import { planningRun } from '../support/planning-run.ts';
import { follow, startAfresh } from '../support/read-models.ts';
import { vocabularyOf } from '../support/vocabulary.ts';
import { adminOf } from '../support/admin.ts';

const name = fc.constantFrom('a', 'b', 'c');
const memory = fc.record({
  layer: fc.constantFrom(...layers),
  scope: fc.record(Object.fromEntries(scopeKeys.map((key) => [key, name])), { requiredKeys: [] }),
  metadata: fc.record(
    {
      state: fc.constantFrom('open', 'Done', 'in review'),
      release: fc.constantFrom('1.9', 'v1.10', '2.0'),
      owners: fc.uniqueArray(fc.constantFrom('ann', 'bob'), { maxLength: 2 }),
      size: fc.constantFrom({ lines: 7 }, { lines: '7' }, null),
      text: fc.constant('x'.repeat(300)),
    },
    { requiredKeys: [] },
  ),
});
const caller = anyCaller(
  fc.constant('acme'),
  fc.uniqueArray(fc.constantFrom(...roles), { maxLength: 2 }),
  name,
);
const wanted: VocabularyRequest = {
  keys: ['open', 'in review', 'ann', 'a', '7', 'nothing of it'],
  kinds: ['version'],
};

const admin = adminOf('acme');

let test: TestStore;

beforeAll(async () => {
  test = await openTestStore();
});

afterAll(() => test.close());

/** The part of a vocabulary that the reader should return for a request, sorted. */
function requestedPart({ fields, values }: Vocabulary, { keys, kinds }: VocabularyRequest): Vocabulary {
  const sorted = <Item>(items: readonly Item[]) =>
    items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  const ordered = ['v1.10', '1.9', '2.0'];
  return {
    fields: sorted(fields.map(({ field, kind, memories, values }) => ({ field, kind, memories, values }))),
    values: sorted(
      values
        .filter(
          ({ key, value }) => keys.includes(key) || (kinds.length > 0 && ordered.includes(String(value))),
        )
        .map(({ field, value, key, memories }) => ({ field, value, key, memories })),
    ),
  };
}

async function reader(now?: () => number): Promise<{ read: VocabularyReader; catchUp: () => Promise<void> }> {
  await ensureLive(test.sql, fields);
  const generation = new Generation(test.sql, fields, 1);
  const models = new ReadModels(test.sql, new WakeUp());
  return { read: new VocabularyReader(models, now), catchUp: () => follow(test, generation, () => 50) };
}

describe('the vocabulary of a caller', () => {
  it('contains only values of memories that the caller may see', async () => {
    await assertWithin(
      fc.asyncProperty(
        fc.array(memory, { minLength: 1, maxLength: 12 }),
        fc.array(caller, { minLength: 1, maxLength: 4 }),
        async (memories, callers) => {
          await startAfresh(test);
          for (const value of memories) await storeTestMemory(test, value);
          const { read, catchUp } = await reader();
          await catchUp();
          for (const one of callers) {
            const seen = memories.filter(({ layer, scope }) =>
              isVisible(visibleInCounts(visible(one)), { layer, scope }),
            );
            const expected = vocabularyOf(seen);
            expect(requestedPart(await read.read(one, wanted), wanted)).toEqual(
              requestedPart(expected, wanted),
            );
          }
        },
      ),
      { numRuns: 25, limitMs: 20_000 },
    );
  });

  it('knows new values at once and new fields within half a minute', async () => {
    await startAfresh(test);
    let now = 0;
    const { read, catchUp } = await reader(() => now);
    const store = async (metadata: MemoryValue['metadata']) => {
      await storeTestMemory(test, { layer: 'company', scope: {}, metadata });
      await catchUp();
    };
    const known = async () => {
      const { fields, values } = await read.read(admin, { keys: ['open', 'high'], kinds: [] });
      return [fields.map(({ field }) => field), values.map(({ key }) => key)];
    };
    await store({ state: 'open' });
    expect(await known()).toEqual([['metadata.state'], ['open']]);
    await store({ rank: 'high' });
    expect(await known()).toEqual([['metadata.state'], ['high', 'open']]);
    now += 30_000;
    expect(await known()).toEqual([
      ['metadata.rank', 'metadata.state'],
      ['high', 'open'],
    ]);
  });

  it('is used to plan a question', async () => {
    await startAfresh(test);
    const { read, catchUp } = await reader();
    for (const state of ['open', 'closed'])
      await storeTestMemory(test, { layer: 'team', scope: { team: 'night-shift' }, metadata: { state } });
    await storeTestMemory(test, { layer: 'company', scope: {}, metadata: {} });
    await catchUp();
    const plan = await questionPlanner({ vocabulary: read, clock: systemClock, model: undefined })(
      'List closed tickets about brakes',
      admin,
      planningRun(),
    );
    expect(plan.operands).toMatchObject([
      { query: 'brakes', filter: { field: 'metadata', path: ['state'], operator: 'eq', value: 'closed' } },
    ]);
  });
});
