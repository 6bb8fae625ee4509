import { v7 as uuid } from 'uuid';
import type { TenantContext } from '../../domain/access/context.ts';
import type { JsonObject } from '../../domain/json.ts';
import { precedence } from '../../domain/layers.ts';
import type { MemoryView } from '../../domain/memory/view.ts';
import { weigh } from '../../domain/ranking/bm25.ts';
import type { RetrievalEvent } from '../../domain/retrieval/events.ts';
import { signSearchId } from '../../domain/retrieval/search-id.ts';
import { vectorTable } from '../../domain/retrieval/vector-table.ts';
import { EmbedderUnavailable, type Embedders } from '../../ports/embedder.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import { LexicalIndexUnavailable, type LexicalIndex } from '../../ports/lexical-index.ts';
import type { ReadModels, ReadView } from '../read-models.ts';
import { searchAsOf } from './as-of/search.ts';
import { findCandidates, readMemories, type CandidateRequest } from './candidates.ts';
import { factsOf } from './facts.ts';
import { byScore, type Scored } from './pick-best.ts';
import { exactScanLimit, findPool, type Pool } from './pool.ts';
import { queryOf, type Query, type SearchRequest } from './query.ts';
import { liveModel, QueryVectors, type QueryVector } from './query-vectors.ts';
import { rank } from './rank.ts';
import { readStatistics } from './statistics.ts';
import { WordSearch, type WordMatches } from './word-search.ts';

export interface SearchResult {
  readonly memory: MemoryView;
  readonly score: number;
  /** 1-based, in the order returned. */
  readonly rank: number;
}

export interface Warning {
  readonly code: 'partial';
  readonly detail: string;
}

export interface SearchAnswer {
  readonly results: readonly SearchResult[];
  readonly searchId: string;
  readonly position: number;
  readonly warnings: readonly Warning[];
  /** What happened, for the log. */
  readonly fact: {
    readonly id: string;
    readonly events: readonly Exclude<RetrievalEvent, { type: 'FeedbackGiven' }>[];
  };
}

/** Hybrid search over what one caller may see. */
export class SearchService {
  readonly #models: ReadModels;
  readonly #vectors: QueryVectors;
  readonly #vault: KeyVault;
  readonly #words: WordSearch;

  /** `index` finds words where the live read model keeps its documents there. */
  constructor(models: ReadModels, embedders: Embedders, vault: KeyVault, index?: LexicalIndex) {
    this.#models = models;
    this.#vectors = new QueryVectors(embedders);
    this.#vault = vault;
    this.#words = new WordSearch(models.sql, index);
  }

  /**
   * Where the query cannot be embedded it answers from words alone, where words cannot be looked for from meaning alone,
   * and says so; rejects with `LexicalIndexUnavailable` where it has neither.
   */
  async search(
    caller: TenantContext,
    request: SearchRequest,
    filterAsSent?: JsonObject,
  ): Promise<SearchAnswer> {
    const started = performance.now();
    const query = queryOf(caller, request);
    const { found, position, model, warnings } =
      request.asOf === undefined
        ? await this.#now(query, request)
        : await this.#asOf(query, request, request.asOf);
    const results = arrange(found, request.order);
    const id = uuid();
    const searchId = signSearchId(this.#vault, caller, id);
    const answer = { results, searchId, position, warnings };
    const durationMs = performance.now() - started;
    return {
      ...answer,
      fact: { id, events: factsOf(request, filterAsSent, { ...answer, model, durationMs }) },
    };
  }

  async #now(query: Query, request: SearchRequest): Promise<Outcome> {
    const lookUp = this.#viewAndWords(request, query);
    const { words, vector, ...read } = await this.#vectors.beside(request.query, lookUp);
    if (words === 'away' && !vector)
      throw new LexicalIndexUnavailable('neither words nor meaning can be compared just now');
    return {
      found: await this.#found(query, request, read, words === 'away' ? [] : words, vector),
      position: read.view.position,
      model: vector?.model.id,
      warnings: [...(vector ? [] : [wordsAlone]), ...(words === 'away' ? [meaningAlone] : [])],
    };
  }

  /** Words are looked for in the rows, which need no lexical index. */
  async #asOf(query: Query, request: SearchRequest, at: number): Promise<Outcome> {
    const lookUp = this.#view(request, Math.max(at, request.minPosition ?? 0)).then((view) => ({ view }));
    const { view, vector } = await this.#vectors.beside(request.query, lookUp);
    const scale = this.#vectors.scaleOf(liveModel(view));
    const asked = { ...request, ...query, at, vector, scale };
    const { found, compared } = await searchAsOf(this.#models.sql, view, asked);
    return {
      found,
      position: at,
      model: compared ? vector?.model.id : undefined,
      warnings: compared ? [] : [wordsAlone],
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
    const query = queryOf(caller, request);
    const vector = await this.#vectors.of(request.query, modelId);
    if (!vector) throw new EmbedderUnavailable(`${modelId} cannot answer now`);
    const { words, ...read } = await this.#viewAndWords(request, query);
    const found = await this.#found(query, request, read, words === 'away' ? [] : words, vector);
    return found.map(({ memory }) => memory.id);
  }

  #view({ waitMs }: SearchRequest, minPosition: number | undefined): Promise<ReadView> {
    return this.#models.view({
      projections: ['memories', 'lexical', 'vectors', 'usage'],
      minPosition,
      waitMs,
    });
  }

  async #viewAndWords(request: SearchRequest, query: Query): Promise<Read & { readonly words: WordMatches }> {
    const view = await this.#view(request, request.minPosition);
    const reach = { ...request, ...query };
    const pool = query.seesNothing ? undefined : await findPool(this.#models.sql, view, reach);
    const nothing = query.seesNothing || query.terms.length === 0 || pool?.counted;
    return { view, pool, words: nothing ? [] : await this.#words.find(view, reach) };
  }

  async #found(
    { region, terms, seesNothing, queryText, perEngine }: Query,
    request: SearchRequest,
    { view, pool }: Read,
    words: CandidateRequest['words'],
    asked: QueryVector | undefined,
  ): Promise<Scored[]> {
    if (seesNothing) return [];
    const { tenant } = region;
    return this.#models.sql.transaction(
      async (tx) => {
        const statistics = await readStatistics(tx, view, tenant, terms);
        const exact = statistics.documents <= exactScanLimit;
        const dense = asked && { vector: asked.vector, table: vectorTable(asked.model.id), exact };
        const rows = await findCandidates(tx, view, {
          ...request,
          region,
          queryText,
          weighted: weigh(terms, statistics),
          pool,
          words,
          dense,
          perEngine,
        });
        const model = asked?.model.id ?? liveModel(view);
        const scale = this.#vectors.scaleOf(model);
        const ranking = { ...request, queryText, terms, statistics, model, scale };
        return rank(rows, ranking, (ids) => readMemories(tx, view, tenant, ids));
      },
      { tenant, readOnly: true },
    );
  }
}

/** What a search found, and from what. */
interface Outcome {
  readonly found: readonly Scored[];
  readonly position: number;
  /** The model that compared meaning. */
  readonly model: string | undefined;
  readonly warnings: readonly Warning[];
}

/** Where it is looked for. */
interface Read {
  readonly view: ReadView;
  readonly pool: Pool | undefined;
}

const wordsAlone: Warning = {
  code: 'partial',
  detail: 'meaning could not be compared just now: these results match by words alone',
};

const meaningAlone: Warning = {
  code: 'partial',
  detail: 'words could not be looked for just now: these results were found by meaning alone',
};

/** The order that was asked for (D4), and the ranks in it. */
function arrange(best: readonly Scored[], order: SearchRequest['order']): SearchResult[] {
  const arranged =
    order === 'relevance'
      ? best
      : [...best].sort(
          (left, right) =>
            precedence(left.memory.layer) - precedence(right.memory.layer) || byScore(left, right),
        );
  return arranged.map(({ memory, score }, index) => ({ memory, score, rank: index + 1 }));
}
