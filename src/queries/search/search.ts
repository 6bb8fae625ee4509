import { v7 as uuid } from 'uuid';
import type { TenantContext } from '../../domain/access/context.ts';
import { visible } from '../../domain/access/visibility.ts';
import type { Filter } from '../../domain/filter.ts';
import type { JsonObject } from '../../domain/json.ts';
import { precedence, type Layer, type Scope } from '../../domain/layers.ts';
import type { MemoryView } from '../../domain/memory/view.ts';
import { scorerOf, type Candidate } from '../../domain/ranking/score.ts';
import type { RetrievalEvent } from '../../domain/retrieval/events.ts';
import { signSearchId } from '../../domain/retrieval/search-id.ts';
import { vectorTable } from '../../domain/retrieval/vector-table.ts';
import { termCounts } from '../../domain/text/tokens.ts';
import { EmbedderUnavailable, type Embedder } from '../../ports/embedder.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import type { ReadModels, ReadView } from '../read-models.ts';
import {
  exactScanLimit,
  findCandidates,
  readMemories,
  readStatistics,
  type CandidateRow,
} from './candidates.ts';
import { byScore, pickBest, type Scored } from './pick-best.ts';

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

  constructor(models: ReadModels, embedder: Embedder, vault: KeyVault) {
    this.#models = models;
    this.#embedder = embedder;
    this.#vault = vault;
  }

  /** Where the query cannot be embedded it answers from words alone and says so. */
  async search(
    caller: TenantContext,
    request: SearchRequest,
    filterAsSent?: JsonObject,
  ): Promise<SearchAnswer> {
    const started = performance.now();
    const [view, vector] = await Promise.all([
      this.#models.view({
        projections: ['memories', 'lexical', 'vectors', 'usage'],
        minPosition: request.minPosition,
        waitMs: request.waitMs,
      }),
      this.#embed(request.query),
    ]);
    const warnings: Warning[] = vector ? [] : [partialWarning];
    const results = arrange(await this.#found(caller, request, view, vector), request.order);
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
        readPosition: view.position,
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
    return { results, searchId, position: view.position, warnings, fact: { id, events } };
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

  async #found(
    caller: TenantContext,
    request: SearchRequest,
    view: ReadView,
    vector: Float32Array | undefined,
  ): Promise<Scored[]> {
    const visibility = visible(caller);
    if (visibility !== 'all' && visibility.length === 0) return [];
    const { tenant } = caller;
    const { query, layers, scope, topK, threshold } = request;
    const terms = [...termCounts(query).counts.keys()];
    const region = { tenant, visibility, ...(layers && { layers }), ...(scope && { scope }) };
    return this.#models.sql.transaction(
      async (tx) => {
        const statistics = await readStatistics(tx, view, tenant, terms);
        const exact = statistics.documents <= exactScanLimit;
        const dense = vector && { vector, table: vectorTable(this.#embedder.model.id), exact };
        const rows = await findCandidates(tx, view, {
          ...request,
          region,
          queryText: query,
          terms,
          dense,
          perEngine: Math.max(leastPerEngine, topK),
        });
        const scorer = scorerOf({ text: query, terms, statistics, model: this.#embedder.model.id });
        const load = (ids: readonly string[]) => readMemories(tx, view, tenant, ids);
        return pickBest(candidatesOf(rows, terms), scorer, { topK, threshold }, load);
      },
      { tenant, readOnly: true },
    );
  }
}

interface FoundCandidate extends Candidate {
  readonly id: string;
}

function candidatesOf(rows: readonly CandidateRow[], terms: readonly string[]): FoundCandidate[] {
  return rows.map(({ memory_id: id, cosine, length, frequencies }) => ({
    id,
    length,
    termFrequencies: new Map(terms.map((term, index) => [term, frequencies[index] ?? 0])),
    ...(cosine !== null && { cosine }),
  }));
}

const partialWarning: Warning = {
  code: 'partial',
  detail: 'meaning could not be compared just now: these results match by words alone',
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
