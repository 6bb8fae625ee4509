import type { TenantContext } from '../../domain/access/context.ts';
import { heaviest, weigh } from '../../domain/ranking/bm25.ts';
import type { AskedTimes } from '../../domain/ranking/dates.ts';
import { exactScanLimit, inDatabaseLimit } from '../../domain/retrieval/exact-scan-limit.ts';
import { usesWordsInMemory } from '../../read-models/lexical/variant.ts';
import { vectorTable } from '../../read-models/vectors/tables.ts';
import type { Clock } from '../../ports/clock.ts';
import { EmbedderUnavailable, type Embedders } from '../../ports/embedder.ts';
import { LexicalIndexUnavailable, type LexicalIndex } from '../../ports/lexical-index.ts';
import type { VectorIndex, VectorSet } from '../../ports/vector-index.ts';
import type { WordIndex } from '../../ports/word-index.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import { isOutdated, withCurrentView } from '../current-view.ts';
import type { ReadDemand, ReadModels, ReadView } from '../read-models.ts';
import { readSupersessions } from '../supersessions.ts';
import { searchAsOf } from './as-of/search.ts';
import { lookWithin, withinPeriods, withTimes, type WithinPeriods } from './asked-times.ts';
import { findCandidates } from './candidates.ts';
import { lookDeeper, type Look } from './deeper-look.ts';
import type { Scored } from './shortlist.ts';
import { findPool, narrowingTo, type Pool, type Reach } from './pool.ts';
import { queryOf, wordsOf, type Query, type SearchRequest } from './query.ts';
import { liveModel, QueryVectors, type QueryVector } from './query-vectors.ts';
import { inMemoryOf, type InMemory } from './nearest-in-memory.ts';
import { rank } from './rank.ts';
import { readMemories } from './read-memories.ts';
import { readStatistics } from './statistics.ts';
import { WordSearch, type WordMatches } from './word-search.ts';

export interface Warning {
  readonly code: 'partial' | 'timed-out';
  readonly detail: string;
}

/** What a search found, and from what. */
export interface Finding {
  /** Best first. */
  readonly best: readonly Scored[];
  /** What the read models had reached, or the position that was asked about. */
  readonly position: number;
  readonly warnings: readonly Warning[];
  /** The model that compared meaning. */
  readonly embeddingModel?: string | undefined;
  /** The read models that it was found in. */
  readonly view: ReadView;
}

/** What finds memories beside the database. */
export interface SearchIndexes {
  /** Finds words where the live read model keeps its documents there. */
  readonly lexical?: LexicalIndex | undefined;
  /** Keeps words in memory, where the live read model has no index for them. */
  readonly words?: WordIndex | undefined;
  /** Keeps vectors in memory. */
  readonly vectors?: VectorIndex | undefined;
}

/** Hybrid search over what one caller may see. */
export class SearchService {
  readonly #models: ReadModels;
  readonly #vectors: QueryVectors;
  readonly #words: WordSearch;
  readonly #inMemory: VectorIndex | undefined;
  readonly #clock: Clock;

  constructor(models: ReadModels, embedders: Embedders, clock: Clock, indexes: SearchIndexes = {}) {
    this.#models = models;
    this.#vectors = new QueryVectors(embedders);
    this.#words = new WordSearch(models.sql, indexes);
    this.#inMemory = indexes.vectors;
    this.#clock = clock;
  }

  /**
   * The read models as a search sees them; one view may serve several searches of one answer. Where values of fields will be
   * looked up beside it, these are waited for too.
   */
  async view(
    waiting: Pick<SearchRequest, Waiting> = {},
    { withFields = false }: { readonly withFields?: boolean } = {},
  ): Promise<ReadView> {
    const { minPosition, waitMs } = waiting;
    const [view] = await Promise.all([
      this.#models.view(demandOf(waiting)),
      withFields && this.#models.view({ projections: ['fields'], minPosition, waitMs }),
    ]);
    return view;
  }

  /**
   * The best of what the caller may see; it writes nothing down. Where the query cannot be embedded it answers from words
   * alone, where words cannot be looked for from meaning alone, and says so; rejects with `LexicalIndexUnavailable` where
   * it has neither, and where a view is given that is outdated (`isOutdated`).
   */
  find(caller: TenantContext, request: SearchRequest, view?: ReadView): Promise<Finding> {
    const query = queryOf(caller, request, this.#clock.now());
    const { asOf } = request;
    const found = () =>
      asOf === undefined ? this.#now(query, request, view) : this.#asOf(query, request, asOf, view);
    return view ? found() : withCurrentView(found);
  }

  async #now(query: Query, request: SearchRequest, given: ReadView | undefined): Promise<Finding> {
    const lookUp = this.#viewAndWords(request, query, given);
    const { words, vector, ...read } = await this.#vectors.beside(query.denseText, lookUp);
    // Meaning alone was to be compared, and cannot be: then by words, rather than not at all.
    if (!vector && request.texts && request.texts.lexical === undefined)
      return this.#now({ ...query, ...wordsOf(request.query) }, { ...request, texts: undefined }, read.view);
    const nothingToCompare = 'neither words nor meaning can be compared just now';
    if (words === 'away' && !vector) throw new LexicalIndexUnavailable(nothingToCompare);
    const { best, lacksWords } = await this.#found(query, request, read, words, vector);
    if (lacksWords && !vector) throw new LexicalIndexUnavailable(nothingToCompare);
    return {
      best,
      position: read.view.position,
      embeddingModel: vector?.model.id,
      warnings: [...(vector ? [] : [wordsAlone]), ...(words === 'away' || lacksWords ? [meaningAlone] : [])],
      view: read.view,
    };
  }

  /**
   * What supersedes the memories that were found, at the end of its chain, by their ids; with `asOf` as of then. Asks
   * nothing where it is known that no link says so.
   */
  async superseding(
    caller: TenantContext,
    { best, view }: Pick<Finding, 'best' | 'view'>,
    asOf?: number,
  ): Promise<ReadonlyMap<string, string>> {
    const ids = best.flatMap(({ memory, isSuperseded }) => (isSuperseded === false ? [] : [memory.id]));
    const read = (current: ReadView) => readSupersessions(this.#models.sql, current, caller, ids, asOf);
    const supersessions = await read(view).catch((error: unknown) => {
      if (!isOutdated(error)) throw error;
      return this.#models.read(demandOf({ minPosition: view.position }), read);
    });
    return new Map(
      ids.flatMap((id) => {
        const newest = supersessions.newest(id);
        return newest === undefined ? [] : [[id, newest] as const];
      }),
    );
  }

  /** Words are looked for in the rows, which need no lexical index. */
  async #asOf(
    query: Query,
    request: SearchRequest,
    at: number,
    given: ReadView | undefined,
  ): Promise<Finding> {
    const lookUp = Promise.resolve(given ?? this.view(request)).then((view) => ({ view }));
    const { view, vector } = await this.#vectors.beside(query.denseText, lookUp);
    const scale = this.#vectors.scaleOf(liveModel(view));
    const asked = { ...request, ...query, at, vector, scale };
    const words = await this.#words.inMemory(view, query.region.tenant);
    const { found, compared, weighed } = await searchAsOf(this.#models.sql, view, { ...asked, words });
    return {
      best: found,
      position: at,
      embeddingModel: compared ? vector?.model.id : undefined,
      warnings: [...(compared ? [] : [wordsAlone]), ...(weighed ? [] : [unweighed])],
      view,
    };
  }

  /**
   * What a query finds by one of the models whose vectors are kept, whether queries read them or not: ids, best first.
   * Nothing is recorded, and no score decides. Rejects with `EmbedderUnavailable` where the model cannot answer now.
   */
  async ranking(
    caller: TenantContext,
    asked: Omit<SearchRequest, 'threshold' | 'order' | 'asOf'>,
    modelId: string,
  ): Promise<readonly string[]> {
    const request: SearchRequest = { ...asked, threshold: 0, order: 'relevance' };
    const query = queryOf(caller, request, this.#clock.now());
    const vector = await this.#vectors.of(query.denseText, modelId);
    if (!vector) throw new EmbedderUnavailable(`${modelId} cannot answer now`);
    const found = await withCurrentView(async () => {
      const { words, ...read } = await this.#viewAndWords(request, query);
      return this.#found(query, request, read, words, vector);
    });
    return found.best.map(({ memory }) => memory.id);
  }

  async #viewAndWords(
    request: SearchRequest,
    query: Query,
    given?: ReadView,
  ): Promise<Read & { readonly words: WordMatches }> {
    const view = given ?? (await this.view(request));
    const reach = { ...request, ...query };
    const read = query.seesNothing ? { view } : { view, ...(await this.#poolsOf(view, reach, query.times)) };
    return { ...read, words: await this.#wordsOf(query, request, read) };
  }

  async #poolsOf(view: ReadView, reach: Reach, times: AskedTimes): Promise<Omit<Read, 'view'>> {
    const { sql } = this.#models;
    const filter = withinPeriods(times, reach.filter);
    const scanLimit = this.#inMemory ? inDatabaseLimit : exactScanLimit;
    const [pool, pooled] = await Promise.all([
      findPool(sql, view, reach, scanLimit),
      filter && findPool(sql, view, { ...reach, filter }, scanLimit),
    ]);
    return { pool, ...(filter && { within: { filter, pool: pooled } }) };
  }

  async #wordsOf(query: Query, request: SearchRequest, { view, pool }: Read): Promise<WordMatches> {
    // Where words are in memory, how rare they are is known there alone, whatever finds them.
    const inRows = pool?.counted && !usesWordsInMemory(view.signature('lexical'));
    const nothing = query.seesNothing || query.terms.length === 0 || inRows;
    return nothing ? [] : this.#words.find(view, { ...request, ...query });
  }

  async #found(
    query: Query,
    request: SearchRequest,
    read: Read,
    words: WordMatches,
    asked: QueryVector | undefined,
  ): Promise<LookByWords> {
    if (query.seesNothing) return { best: [], isCrowded: false, lacksWords: false };
    return lookDeeper(query.perEngine, async (perEngine) => {
      const deeper = { ...query, perEngine };
      // What was away once is not waited for again.
      const more = Array.isArray(words) && perEngine > query.perEngine;
      const known = more ? await this.#wordsOf(deeper, request, read) : words;
      return this.#look(deeper, request, read, known === 'away' ? words : known, asked);
    });
  }

  async #look(
    { region, terms: all, queryText, perEngine, times }: Query,
    request: SearchRequest,
    { view, pool, within }: Read,
    words: WordMatches,
    asked: QueryVector | undefined,
  ): Promise<LookByWords> {
    const { tenant } = region;
    const resident = asked && (await this.#residentFor(tenant, asked));
    const inTenant = { tenant, readOnly: true, onePlan: true };
    const { list, first, lacksWords } = await this.#models.sql.transaction(async (tx) => {
      const wordsInMemory = typeof words === 'function' ? await words(tx) : undefined;
      const statistics = await readStatistics(tx, view, tenant, all, wordsInMemory);
      const terms = heaviest(all, statistics);
      const { documents } = statistics;
      const exact = documents <= exactScanLimit;
      if (asked && documents > inDatabaseLimit) this.#inMemory?.want(vectorsOf(tenant, asked));
      const asking = {
        ...request,
        ...narrowingTo(pool, documents, resident !== undefined),
        region,
        queryText,
        weighted: weigh(terms, statistics),
        words: typeof words === 'function' || words === 'away' ? [] : words,
        wordsInMemory,
        dense: asked && { vector: asked.vector, ...vectorsOf(tenant, asked), exact },
        inMemory: resident?.(tx),
        perEngine,
      };
      const anywhere = await findCandidates(tx, view, asking);
      const inTime =
        within && (exact || within.pool)
          ? await findCandidates(tx, view, { ...asking, ...lookWithin(asking, within) })
          : [];
      const found = new Map([...anywhere, ...inTime].map((row) => [row.memory_id, row]));
      const rows = await withTimes(tx, view, tenant, [...found.values()], times);
      const model = asked?.model.id ?? liveModel(view);
      const scale = this.#vectors.scaleOf(model);
      const list = rank(rows, { ...request, terms, times, perEngine, statistics, model, scale });
      return {
        list,
        first: await readMemories(tx, view, tenant, list.missing, { filters: request }),
        lacksWords: typeof words === 'function' && !wordsInMemory,
      };
    }, inTenant);
    // What comes now needs the database no more, which has time for others.
    list.take(first);
    const best = await list.best((ids) =>
      this.#models.sql.transaction(
        (tx) => readMemories(tx, view, tenant, ids, { filters: request }),
        inTenant,
      ),
    );
    return { best, isCrowded: list.isCrowded, lacksWords };
  }

  /** What compares in memory, where the tenant's vectors are there. */
  async #residentFor(
    tenant: string,
    asked: QueryVector,
  ): Promise<((tx: SqlExecutor) => InMemory) | undefined> {
    const [index, set] = [this.#inMemory, vectorsOf(tenant, asked)];
    return index && (await index.has(set)) ? (tx) => inMemoryOf(index, tx, set, asked.vector) : undefined;
  }
}

function vectorsOf(tenant: string, { model }: QueryVector): VectorSet {
  return { tenant, table: vectorTable(model.id) };
}

/** What says how far the read models must be. */
type Waiting = 'asOf' | 'minPosition' | 'waitMs';

function demandOf({ asOf = 0, minPosition = 0, waitMs }: Pick<SearchRequest, Waiting>): ReadDemand {
  return {
    projections: ['memories', 'lexical', 'vectors', 'usage', 'links'],
    minPosition: Math.max(asOf, minPosition),
    waitMs,
  };
}

interface LookByWords extends Look {
  /** The words in memory had gone since they were asked for. */
  readonly lacksWords: boolean;
}

/** Where it is looked for. */
interface Read {
  readonly view: ReadView;
  readonly pool?: Pool | undefined;
  readonly within?: WithinPeriods;
}

const wordsAlone: Warning = {
  code: 'partial',
  detail: 'meaning could not be compared just now: these results match by words alone',
};

const unweighed: Warning = {
  code: 'partial',
  detail: 'how rare each word is could not be looked up just now: all count the same',
};

const meaningAlone: Warning = {
  code: 'partial',
  detail: 'words could not be looked for just now: these results were found by meaning alone',
};
