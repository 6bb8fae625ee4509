import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deterministicEmbedder } from '../../src/adapters/deterministic/embedder.ts';
import type { TenantContext } from '../../src/domain/access/context.ts';
import { parseFilter } from '../../src/domain/filter.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import type { Sql, SqlValue } from '../../src/ports/sql.ts';
import { WakeUp } from '../../src/support/wake-up.ts';
import { feedback } from '../../src/projections/feedback/feedback.ts';
import { ensureLive } from '../../src/projections/generations.ts';
import { Generation } from '../../src/projections/generation.ts';
import { memories } from '../../src/projections/memories/memories.ts';
import type { Projection } from '../../src/projections/projection.ts';
import { usage } from '../../src/projections/usage/usage.ts';
import { values } from '../../src/projections/values/values.ts';
import { listMemories, type ListMemories } from '../../src/queries/list-memories.ts';
import { ReadModels } from '../../src/queries/read-models.ts';
import { openTestStore, storeTestMemory, type TestStore } from '../support/event-store.ts';
import { countRowsRead } from '../support/plans.ts';
import { follow } from '../support/read-models.ts';
import { soleEmbedder } from '../support/sole-embedder.ts';

const count = 300;
const limit = 5;
const caller = { tenant: 'acme', principal: 'p', roles: ['admin'] } as unknown as TenantContext;

let test: TestStore;

beforeAll(async () => {
  test = await openTestStore();
  for (let n = 0; n < count; n++)
    await storeTestMemory(test, {
      content: `number ${n}`,
      tags: n < 3 ? ['first'] : ['later'],
      metadata: { number: n },
    });
  const embedders = soleEmbedder(deterministicEmbedder({ dimension: 16 }));
  for (const projection of [memories, usage, feedback(embedders), values] as readonly Projection[]) {
    await ensureLive(test.sql, projection);
    await follow(test, new Generation(test.sql, projection, 1), () => 1_000);
  }
});

afterAll(() => test.close());

/** The contents of a list, and the number of rows that were read for it. */
async function listed(request: Omit<ListMemories, 'limit'>): Promise<{ contents: string[]; looked: number }> {
  let looked = 0;
  const sql = {
    query: test.sql.query.bind(test.sql),
    async queryAs<R>(tenant: string, text: string, params: readonly SqlValue[] = []): Promise<R[]> {
      looked += await test.sql.transaction<number>((tx) => countRowsRead(tx, 'memories_g1', text, params), {
        tenant,
        readOnly: true,
      });
      return test.sql.queryAs<R>(tenant, text, params);
    },
  } as unknown as Sql;
  const { items } = await listMemories(new ReadModels(sql, new WakeUp()), caller, { ...request, limit });
  return { contents: items.map(({ content }) => content), looked };
}

const numbers = (...of: number[]) => of.map((n) => `number ${n}`);
const filter = (json: JsonObject) => ({ filter: parseFilter(json) });

describe('a list of the few matches among many memories', () => {
  it.each([
    ['a tag', { tags: ['first'] }, numbers(2, 1, 0)],
    ['a value', filter({ 'metadata.number': { eq: 7 } }), numbers(7)],
    ['a range of numbers', filter({ 'metadata.number': { gte: 3, lt: 6 } }), numbers(5, 4, 3)],
    ['several', { tags: ['first'], ...filter({ 'metadata.number': { gt: 0 } }) }, numbers(2, 1)],
    ['a time before all', { createdBefore: '2020-01-01T00:00:00Z' }, []],
    ['a value that none has', { spaces: ['none'] }, []],
  ])('[A4] by %s reads only the matches', async (_, request, contents) => {
    const found = await listed(request);
    expect(found.contents).toEqual(contents);
    expect(found.looked).toBeLessThanOrEqual(contents.length + 2);
  });

  it('[A4] has pages like any other list', async () => {
    const request = filter({ 'metadata.number': { lt: 8 } });
    const models = new ReadModels(test.sql, new WakeUp());
    const first = await listMemories(models, caller, { ...request, limit });
    const second = await listMemories(models, caller, { ...request, limit, cursor: first.nextCursor });
    expect([...first.items, ...second.items].map(({ content }) => content)).toEqual(
      numbers(7, 6, 5, 4, 3, 2, 1, 0),
    );
  });
});
