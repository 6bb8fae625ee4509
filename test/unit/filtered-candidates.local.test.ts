import { afterAll, beforeAll, expect, it } from 'vitest';
import { deterministicEmbedder } from '../../src/adapters/deterministic/embedder.ts';
import { weigh } from '../../src/domain/ranking/bm25.ts';
import { parseFilter } from '../../src/domain/filter.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { vectorTable } from '../../src/read-models/vectors/tables.ts';
import type { SqlExecutor, SqlValue } from '../../src/ports/sql.ts';
import { WakeUp } from '../../src/support/wake-up.ts';
import { ensureLive } from '../../src/projections/generations.ts';
import { Generation } from '../../src/projections/generation.ts';
import { lexical } from '../../src/projections/lexical/lexical.ts';
import { memories } from '../../src/projections/memories/memories.ts';
import type { Projection } from '../../src/projections/projection.ts';
import { vectors } from '../../src/projections/vectors/vectors.ts';
import { ReadModels, type ReadView } from '../../src/queries/read-models.ts';
import {
  findCandidates,
  type CandidateRequest,
  type CandidateRow,
} from '../../src/queries/search/candidates.ts';
import { nearestInPool } from '../../src/queries/search/pool-candidates.ts';
import { findPool } from '../../src/queries/search/pool.ts';
import { readStatistics } from '../../src/queries/search/statistics.ts';
import { openTestStore, storeTestMemory, type TestStore } from '../support/event-store.ts';
import { rowsLookedAt } from '../support/plans.ts';
import { follow } from '../support/read-models.ts';
import { soleEmbedder } from '../support/sole-embedder.ts';

const count = 300;
const wanted = 10;
const embedder = deterministicEmbedder({ dimension: 16 });

let test: TestStore;
let view: ReadView;

/** As after an import: the tables are full, and nobody has counted what is in them. */
beforeAll(async () => {
  test = await openTestStore();
  for (let n = 0; n < count; n++)
    await storeTestMemory(test, {
      content: `green tea number ${n}`,
      metadata: { kind: n % 2 ? 'note' : 'fact', number: n },
    });
  const read = [memories, lexical(), vectors(soleEmbedder(embedder), embedder.model, 0)] as Projection[];
  for (const projection of read) {
    await ensureLive(test.sql, projection);
    await follow(test, new Generation(test.sql, projection, 1), () => 1_000);
  }
  view = await new ReadModels(test.sql, new WakeUp()).view({ projections: read.map(({ name }) => name) });
});

afterAll(() => test.close());

it('[A5] a filter that leaves half is asked of what the indexes find, not of all memories', async () => {
  const [vector] = await embedder.embed(['green tea'], 'query');
  const table = view.table('memories').replace('read.', '');
  let asked = 0;
  let found: readonly CandidateRow[] = [];
  await test.sql.transaction(
    async (tx) => {
      const explaining: SqlExecutor = {
        async query<R>(text: string, params?: readonly SqlValue[]) {
          const rows = await tx.query<R>(text, params);
          if (text.includes(table)) asked += await rowsLookedAt(tx, table, text, params);
          return rows;
        },
      };
      const terms = ['green', 'tea'];
      found = await findCandidates(explaining, view, {
        region: { tenant: 'acme', visibility: 'all' },
        queryText: 'green tea',
        weighted: weigh(terms, await readStatistics(tx, view, 'acme', terms)),
        filter: parseFilter({ 'metadata.kind': { eq: 'fact' } }),
        words: 'database',
        dense: { vector: vector!, table: vectorTable(embedder.model.id), exact: false },
        perEngine: wanted,
      } satisfies CandidateRequest);
    },
    { tenant: 'acme', readOnly: true },
  );
  expect(found.length).toBeGreaterThanOrEqual(wanted);
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThan(count / 2);
});

it('[A5] a filter that most of its pool do not pass is asked of all of it', async () => {
  const [vector] = await embedder.embed(['green tea'], 'query');
  const region = { tenant: 'acme', visibility: 'all' as const };
  // Keys tell the notes; in which of them a part of the text is they do not.
  const filter = parseFilter({ 'metadata.kind': { eq: 'note' }, content: { contains: 'number 29' } });
  const pool = await findPool(test.sql, view, { region, filter });
  expect(pool).toMatchObject({ size: count / 2 });
  const dense = { vector: vector!, table: vectorTable(embedder.model.id), exact: false };
  const weighted = { terms: [], weights: [], mass: 0 };
  const found = await test.sql.transaction<readonly unknown[]>(
    (tx) => nearestInPool(tx, view, { region, filter, pool: pool!, perEngine: wanted, weighted, dense }),
    { tenant: 'acme', readOnly: true },
  );
  // 29, 291, 293, 295, 297, 299.
  expect(found.length).toBe(6);
});

it('[A5] what lies in a range of numbers or times, and no more, is a pool', async () => {
  const sizeOf = async (json: JsonObject) => {
    const region = { tenant: 'acme', visibility: 'all' as const };
    const pool = await findPool(test.sql, view, { region, filter: parseFilter(json) });
    return pool?.size;
  };
  expect(await sizeOf({ 'metadata.number': { gte: count - 10 } })).toBe(10);
  // An end that is excluded is in the pool all the same.
  expect(await sizeOf({ 'metadata.number': { gt: 4, lte: 24 } })).toBe(21);
  expect(await sizeOf({ 'metadata.number': { lt: -1 } })).toBe(0);
  expect(await sizeOf({ or: [{ 'metadata.number': { lte: 4 } }, { 'metadata.number': { gte: 295 } }] })).toBe(
    10,
  );
  expect(await sizeOf({ createdAt: { gte: '2020-01-01' } })).toBe(count);
  expect(await sizeOf({ createdAt: { lt: '2020-01-01' } })).toBe(0);
  expect(await sizeOf({ updatedAt: { lt: '2020-01-01' } })).toBeUndefined();
});
