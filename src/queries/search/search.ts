import { v7 as uuid } from 'uuid';
import type { TenantContext } from '../../domain/access/context.ts';
import type { Region } from '../../domain/access/region.ts';
import { visible } from '../../domain/access/visibility.ts';
import type { Filter } from '../../domain/filter.ts';
import type { JsonObject } from '../../domain/json.ts';
import { precedence, type Layer, type Scope } from '../../domain/layers.ts';
import type { MemoryView } from '../../domain/memory/view.ts';
import { weigh } from '../../domain/ranking/bm25.ts';
import { scorerOf, type Candidate } from '../../domain/ranking/score.ts';
import { windowOf } from '../../domain/ranking/window.ts';
import type { RetrievalEvent } from '../../domain/retrieval/events.ts';
import { signSearchId } from '../../domain/retrieval/search-id.ts';
import { vectorTable } from '../../domain/retrieval/vector-table.ts';
import { termCounts } from '../../domain/text/tokens.ts';
import { EmbedderUnavailable, type Embedder } from '../../ports/embedder.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import { LexicalIndexUnavailable, type LexicalIndex } from '../../ports/lexical-index.ts';
import type { ReadModels, ReadView } from '../read-models.ts';
import { findCandidates, readMemories, type CandidateRequest, type CandidateRow } from './candidates.ts';
import { exactScanLimit, findPool, type Pool } from './pool.ts';
import { readStatistics } from './statistics.ts';
import type { TermSignal } from './text-signals.ts';
import { byScore, pickBest, type Scored } from './pick-best.ts';
import { WordSearch, type WordMatches } from './word-search.ts';

export interface SearchRequest {
  readonly query: string;
  readonly layers?: readonly Layer[] | undefined;
  readonly scope?: Scope | undefined;
  readonly spaces?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly filter?: Filter | undefined;
  readonly topK: number;
  readonly threshold: number;
  readonly order: 'precedence' | 'relevance';
  readonly sessionId?: string | undefined;
  readonly minPosition?: number | undefined;
  readonly waitMs?: number | undefined;
}

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

/** Each engine finds at least this many: the fusion needs both signals' best. */
const leastPerEngine = 100;

/** Hybrid search over what one caller may see. */
export class SearchService {
  readonly #models: ReadModels;
  readonly #embedder: Embedder;
  readonly #vault: KeyVault;
  readonly #words: WordSearch;

  /** `index` finds words where the live read model keeps its documents there. */
  constructor(models: ReadModels, embedder: Embedder, vault: KeyVault, index?: LexicalIndex) {
    this.#models = models;
    this.#embedder = embedder;
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
    const [{ words, ...read }, vector] = await Promise.all([
      this.#viewAndWords(request, query),
      this.#embed(request.query),
    ]);
    if (words === 'away' && !vector)
      throw new LexicalIndexUnavailable('neither words nor meaning can be compared just now');
    const warnings = [...(vector ? [] : [wordsAlone]), ...(words === 'away' ? [meaningAlone] : [])];
    const found = await this.#found(query, request, read, words === 'away' ? [] : words, vector);
    const results = arrange(found, request.order);
    const id = uuid();
    const searchId = signSearchId(this.#vault, caller, id);
    const performed: Extract<RetrievalEvent, { type: 'SearchPerformed' }> = {
      type: 'SearchPerformed',
      data: {
        searchId,
        ...(request.layers && { layers: [...request.layers] }),
        ...(request.scope && { scope: request.scope }),
        ...(request.spaces && { spaces: [...request.spaces] }),
        topK: request.topK,
        threshold: request.threshold,
        order: request.order,
        readPosition: read.view.position,
        ...(vector && { embeddingModel: this.#embedder.model.id }),
        results: results.map(({ memory, rank, score }) => ({ memoryId: memory.id, rank, score })),
        warnings: warnings.map(({ code }) => code),
        durationMs: Math.round(performance.now() - started),
        query: request.query,
        ...(request.tags && { tags: [...request.tags] }),
        ...(filterAsSent && { filter: filterAsSent }),
        ...(request.sessionId !== undefined && { sessionId: request.sessionId }),
      },
    };
    const accessed: Extract<RetrievalEvent, { type: 'MemoriesAccessed' }> = {
      type: 'MemoriesAccessed',
      data: { searchId, how: 'search', memoryIds: results.map(({ memory }) => memory.id) },
    };
    const events = results.length > 0 ? [performed, accessed] : [performed];
    return { results, searchId, position: read.view.position, warnings, fact: { id, events } };
  }

  async #embed(query: string): Promise<Float32Array | undefined> {
    try {
      const [vector] = await this.#embedder.embed([query], 'query');
      return vector;
    } catch (error) {
      if (error instanceof EmbedderUnavailable) return undefined;
      throw error;
    }
  }

  async #viewAndWords(request: SearchRequest, query: Query): Promise<Read & { readonly words: WordMatches }> {
    const view = await this.#models.view({
      projections: ['memories', 'lexical', 'vectors', 'usage'],
      minPosition: request.minPosition,
      waitMs: request.waitMs,
    });
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
    vector: Float32Array | undefined,
  ): Promise<Scored[]> {
    if (seesNothing) return [];
    const { tenant } = region;
    const { topK, threshold } = request;
    return this.#models.sql.transaction(
      async (tx) => {
        const statistics = await readStatistics(tx, view, tenant, terms);
        const exact = statistics.documents <= exactScanLimit;
        const dense = vector && { vector, table: vectorTable(this.#embedder.model.id), exact };
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
        const scorer = scorerOf({ text: queryText, terms, statistics, model: this.#embedder.model.id });
        const load = (ids: readonly string[]) => readMemories(tx, view, tenant, ids);
        return pickBest(candidatesOf(rows, terms), scorer, { topK, threshold }, load);
      },
      { tenant, readOnly: true },
    );
  }
}

/** Where it is looked for. */
interface Read {
  readonly view: ReadView;
  readonly pool: Pool | undefined;
}

/** What is looked for, and where. */
interface Query {
  readonly region: Region;
  readonly seesNothing: boolean;
  readonly queryText: string;
  readonly terms: readonly string[];
  readonly perEngine: number;
}

function queryOf(caller: TenantContext, { query, layers, scope, topK }: SearchRequest): Query {
  const visibility = visible(caller);
  return {
    region: { tenant: caller.tenant, visibility, ...(layers && { layers }), ...(scope && { scope }) },
    seesNothing: visibility !== 'all' && visibility.length === 0,
    queryText: query,
    terms: [...termCounts(query).counts.keys()],
    perEngine: Math.max(leastPerEngine, topK),
  };
}

interface FoundCandidate extends Candidate {
  readonly id: string;
}

function candidatesOf(rows: readonly CandidateRow[], terms: readonly string[]): FoundCandidate[] {
  const counted = ({ length, frequencies }: TermSignal) => ({
    length,
    termFrequencies: new Map(terms.map((term, index) => [term, frequencies[index] ?? 0])),
  });
  return rows.map(({ memory_id: id, cosine, is_turn, speaker, occurred_at, neighbours, ...row }) => {
    const own = counted(row);
    return {
      id,
      ...own,
      ...(cosine !== null && { cosine }),
      ...(is_turn && { window: windowOf([own, ...neighbours.map(counted)]) }),
      ...(speaker !== null && { speaker }),
      ...(occurred_at && { occurredAt: occurred_at.toISOString() }),
    };
  });
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
