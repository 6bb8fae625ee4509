import { afterAll, beforeAll, expect, it } from 'vitest';
import { deterministicEmbedder } from '../../src/adapters/deterministic/embedder.ts';
import { weigh } from '../../src/domain/ranking/bm25.ts';
import { parseFilter } from '../../src/domain/filter.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { exactScanLimit } from '../../src/domain/retrieval/exact-scan-limit.ts';
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
import { chooseSources } from '../../src/queries/search/sources/choose-sources.ts';
import type { Hit } from '../../src/queries/search/sources/candidate-source.ts';
import { ExactVectorSource } from '../../src/queries/search/sources/exact-vectors.ts';
import { PlannerSettings } from '../../src/queries/search/sources/planner-settings.ts';
import { findPrefilterSet } from '../../src/queries/search/sources/prefilter-set.ts';
import { readStatistics } from '../../src/queries/search/statistics.ts';
import { openTestStore, storeTestMemory, type TestStore } from '../support/event-store.ts';
import { countRowsRead } from '../support/plans.ts';
import { follow } from '../support/read-models.ts';
import { soleEmbedder } from '../support/sole-embedder.ts';

const count = 300;
const wanted = 10;
const embedder = deterministicEmbedder({ dimension: 16 });

let test: TestStore;
let view: ReadView;

/** The state after an import: the tables are full, but have no planner statistics yet. */
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

it('[A5] a filter that half of the memories match is checked only for the results of the indexes', async () => {
  const [vector] = await embedder.embed(['green tea'], 'query');
  const table = view.table('memories').replace('read.', '');
  let rowsRead = 0;
  let found: readonly Hit[] = [];
  await test.sql.transaction(
    async (tx) => {
      const explaining: SqlExecutor = {
        async query<R>(text: string, params?: readonly SqlValue[]) {
          const rows = await tx.query<R>(text, params);
          if (text.includes(table)) rowsRead += await countRowsRead(tx, table, text, params);
          return rows;
        },
      };
      const terms = ['green', 'tea'];
      const region = { tenant: 'acme', visibility: 'all' as const };
      const statistics = await readStatistics(tx, view, region, terms);
      const query = {
        region,
        text: 'green tea',
        weighted: weigh(terms, statistics.terms),
        filter: parseFilter({ 'metadata.kind': { eq: 'fact' } }),
        dense: { vector: vector!, table: vectorTable(embedder.model.id) },
        times: { months: [], periods: [] },
      };
      const context = { tx: explaining, view, planner: new PlannerSettings(explaining) };
      // Pretend that the tenant is too large to compare all vectors.
      const choice = { documents: exactScanLimit + 1, lookup: { in: 'database' as const } };
      const sources = chooseSources(context, query, choice).flat();
      const hits = await Promise.all(sources.map((source) => source.find(query, wanted)));
      found = hits.flat();
    },
    { tenant: 'acme', readOnly: true },
  );
  expect(found.length).toBeGreaterThanOrEqual(wanted);
  expect(rowsRead).toBeGreaterThan(0);
  expect(rowsRead).toBeLessThan(count / 2);
});

it('[A5] a filter that few memories of a prefilter set match is checked for the whole set', async () => {
  const [vector] = await embedder.embed(['green tea'], 'query');
  const region = { tenant: 'acme', visibility: 'all' as const };
  // Posting keys contain the kind, but not parts of the text.
  const filter = parseFilter({ 'metadata.kind': { eq: 'note' }, content: { contains: 'number 29' } });
  const set = await findPrefilterSet(test.sql, view, { region, filter });
  expect(set).toMatchObject({ size: count / 2 });
  const dense = { vector: vector!, table: vectorTable(embedder.model.id) };
  const weighted = { terms: [], weights: [], mass: 0 };
  const query = { region, filter, text: '', weighted, dense, times: { months: [], periods: [] } };
  const found = await test.sql.transaction<readonly Hit[]>(
    (tx) => {
      const context = { tx, view, planner: new PlannerSettings(tx) };
      return new ExactVectorSource(context, set).find(query, wanted);
    },
    { tenant: 'acme', readOnly: true },
  );
  // 29, 291, 293, 295, 297, 299.
  expect(found.length).toBe(6);
});

it('[A5] the prefilter set of a range of numbers or times contains exactly that range', async () => {
  const sizeOf = async (json: JsonObject) => {
    const region = { tenant: 'acme', visibility: 'all' as const };
    const set = await findPrefilterSet(test.sql, view, { region, filter: parseFilter(json) });
    return set?.size;
  };
  expect(await sizeOf({ 'metadata.number': { gte: count - 10 } })).toBe(10);
  // The set includes an end that the filter excludes.
  expect(await sizeOf({ 'metadata.number': { gt: 4, lte: 24 } })).toBe(21);
  expect(await sizeOf({ 'metadata.number': { lt: -1 } })).toBe(0);
  expect(await sizeOf({ or: [{ 'metadata.number': { lte: 4 } }, { 'metadata.number': { gte: 295 } }] })).toBe(
    10,
  );
  expect(await sizeOf({ createdAt: { gte: '2020-01-01' } })).toBe(count);
  expect(await sizeOf({ createdAt: { lt: '2020-01-01' } })).toBe(0);
  expect(await sizeOf({ updatedAt: { lt: '2020-01-01' } })).toBeUndefined();
});
