import { FlatIndex } from '../adapters/flat/flat-index.ts';
import { migrate } from '../adapters/migrate.ts';
import { openPglite } from '../adapters/pglite/open.ts';
import { o200k } from '../adapters/tokenizer/o200k.ts';
import { ResidentWordIndex } from '../adapters/words/resident-word-index.ts';
import { maxIndexBytes } from '../backends/in-memory.ts';
import { readSummarySettings } from '../commands/summaries/configure-summaries.ts';
import { inDatabaseLimit } from '../domain/retrieval/exact-scan-limit.ts';
import { Problem } from '../domain/problems.ts';
import { summaryIdOf } from '../domain/summaries/summary-scope.ts';
import { KnownVectors } from '../past/known-vectors.ts';
import { PastCopy } from '../past/past-copy.ts';
import { pastQueries, type PastQueriesParts } from '../past/past-queries.ts';
import type { OpenCopy } from '../past/open-copy.ts';
import { PastReadModels } from '../past/past-read-models.ts';
import { readErased } from '../past/read-erased.ts';
import type { Sql } from '../ports/sql.ts';
import { allProjections } from '../projections/all.ts';
import { projectionSchema } from '../projections/schema.ts';
import { timeAt } from '../queries/past.ts';
import type { ReadModels } from '../queries/read-models.ts';
import type { RoutedSearch } from '../queries/routing/routed-search.ts';
import type { SearchIndexes } from '../queries/search/search-engines.ts';
import type { CommandSide } from './command-side.ts';
import type { Process } from './process.ts';
import type { ReadSide } from './read-side.ts';

/** Maximum number of memories in a copy. */
const maxMemories = 100_000;
/** The read models that questions about the past read; those of traces, lessons and the audit are never asked about it. */
const askedAboutPast: ReadonlySet<string> = new Set([
  'memories',
  'lexical',
  'vectors',
  'links',
  'usage',
  'feedback',
  'summaries',
  'values',
  'statistics',
]);

/** Read models of the past. Nothing is opened before somebody asks. `search` is the one over the live read models. */
export function openPast(
  own: Process,
  { store, vault }: CommandSide,
  { models, embedders, surfaces }: ReadSide,
  search: RoutedSearch,
): PastReadModels {
  const parts: PastQueriesParts = {
    store,
    embedders,
    tokenizer: o200k,
    search,
    settingsAt: (tenant, position) => readSummarySettings(store, tenant, position),
    idOf: (tenant, scope) => summaryIdOf(vault, tenant, scope),
  };
  const open: OpenCopy = async ({ tenant, position, erasedAfter = position, isTaken, seen }) => {
    await assertFits(models, tenant, position);
    const erased = await readErased(store, tenant, erasedAfter);
    const vectors = await KnownVectors.open(models, embedders);
    const { sql, indexes, start, close } = await openDatabase(own);
    try {
      const projections = allProjections(vectors, {
        words: { inMemory: true },
        vectorsInMemory: Number.MAX_SAFE_INTEGER,
      });
      const copy = await PastCopy.open({
        sql,
        store,
        tenant,
        vectors,
        projections: projections.filter(({ name }) => askedAboutPast.has(name)),
        isTaken: (event) => !erased.has(event) && (isTaken?.(event) ?? true),
        ...(seen && { seen }),
      });
      const queries = async () => {
        await start();
        const time = await timeAt(store.log, copy.position);
        return pastQueries(parts, { sql, indexes, position: copy.position, time });
      };
      return { copy, queries, close };
    } catch (error) {
      await close();
      throw error;
    }
  };
  const past = new PastReadModels(store.log, open);
  surfaces.add(past);
  own.cleanup.add(() => past.close());
  return past;
}

interface Database {
  readonly sql: Sql;
  readonly indexes: SearchIndexes;
  /** Loads the indexes, once the tables are filled. They follow later changes. */
  readonly start: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** A database in the memory of this process, whatever the profile: nothing of it is on a disk, and it ends with the process. */
async function openDatabase({ logger }: Process): Promise<Database> {
  const sql = await openPglite();
  const onError = (error: unknown) =>
    logger.warn({ err: error }, 'an index beside read models of the past cannot be kept current');
  const words = new ResidentWordIndex(sql, { mostBytes: maxIndexBytes, onError });
  const vectors = new FlatIndex(sql, { loadAbove: inDatabaseLimit, mostBytes: maxIndexBytes, onError });
  const close = async () => {
    await Promise.all([words.close(), vectors.close()]);
    await sql.close();
  };
  try {
    await migrate(sql, 'projections', projectionSchema);
  } catch (error) {
    await close();
    throw error;
  }
  let started: Promise<unknown> | undefined;
  const start = async () => {
    await (started ??= Promise.all([words.start(), vectors.start()]));
    await words.firstLoaded;
  };
  return { sql, indexes: { words, vectors }, start, close };
}

/** Throws `as-of-scope-too-large`. A copy takes about 300 MB, and 12 kB for each memory. */
async function assertFits(models: ReadModels, tenant: string, position: number): Promise<void> {
  const [row] = await models.read({ projections: ['memories'] }, (view) =>
    models.sql.queryAs<{ readonly count: number }>(
      tenant,
      `select count(*) as count from (
         select distinct memory_id from ${view.table('memories')}
         where tenant = $1 and from_position <= $2 limit ${maxMemories + 1}) then_known`,
      [tenant, position],
    ),
  );
  if (row!.count <= maxMemories) return;
  const what = `the tenant had more than ${maxMemories.toLocaleString('en-US')} memories`;
  throw new Problem('as-of-scope-too-large', `asOf: ${what}`, { errors: [{ path: 'asOf', message: what }] });
}
