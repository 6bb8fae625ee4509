import { v7 as uuid } from 'uuid';
import type { TenantContext } from '../../domain/access/context.ts';
import { visible } from '../../domain/access/visibility.ts';
import type { Filter } from '../../domain/filter.ts';
import type { JsonObject } from '../../domain/json.ts';
import { precedence, type Layer, type Scope } from '../../domain/layers.ts';
import type { MemoryView } from '../../domain/memory/view.ts';
import { scoreCandidates } from '../../domain/ranking/score.ts';
import type { RetrievalEvent } from '../../domain/retrieval/events.ts';
import { signSearchId } from '../../domain/retrieval/search-id.ts';
import { vectorTable } from '../../domain/retrieval/vector-table.ts';
import { termCounts } from '../../domain/text/tokens.ts';
import { EmbedderUnavailable, type Embedder } from '../../ports/embedder.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import { memoryOf } from '../memory-row.ts';
import type { ReadModels, ReadView } from '../read-models.ts';
import {
  exactScanLimit,
  findCandidates,
  readStatistics,
  type CandidateRow,
  type Statistics,
} from './candidates.ts';
import { dropNearDuplicates } from './near-duplicates.ts';

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

interface Scored {
  readonly memory: MemoryView;
  readonly score: number;
}

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
    const scored = await this.#scored(caller, request, view, vector);
    const results = arrange(scored, request);
    const id = uuid();
    const searchId = signSearchId(this.#vault, caller, id);
    const performed: Extract<RetrievalEvent, { type: 'SearchPerformed' }> = {
      type: 'SearchPerformed',
      data: {
        searchId,
        ...(request.layers && { layers: [...request.layers] }),
        topK: request.topK,
        threshold: request.threshold,
        order: request.order,
        readPosition: view.position,
        ...(vector && { embeddingModel: this.#embedder.model.id }),
        results: results.map(({ memory, rank, score }) => ({ memoryId: memory.id, rank, score })),
        warnings: warnings.map(({ code }) => code),
        durationMs: Math.round(performance.now() - started),
        query: request.query,
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

  async #scored(
    caller: TenantContext,
    request: SearchRequest,
    view: ReadView,
    vector: Float32Array | undefined,
  ): Promise<Scored[]> {
    const visibility = visible(caller);
    if (visibility !== 'all' && visibility.length === 0) return [];
    const terms = [...termCounts(request.query).counts.keys()];
    const { layers, scope } = request;
    const region = { tenant: caller.tenant, visibility, ...(layers && { layers }), ...(scope && { scope }) };
    const { rows, statistics } = await this.#models.sql.transaction(
      async (tx) => {
        const statistics = await readStatistics(tx, view, caller.tenant, terms);
        const exact = statistics.documents <= exactScanLimit;
        const dense = vector && { vector, table: vectorTable(this.#embedder.model.id), exact };
        const rows = await findCandidates(tx, view, {
          region,
          spaces: request.spaces,
          tags: request.tags,
          filter: request.filter,
          queryText: request.query,
          terms,
          dense,
          perEngine: Math.max(leastPerEngine, request.topK),
        });
        return { rows, statistics };
      },
      { tenant: caller.tenant, readOnly: true },
    );
    return this.#score(request.query, rows, terms, statistics);
  }

  #score(
    text: string,
    rows: readonly CandidateRow[],
    terms: readonly string[],
    statistics: Statistics,
  ): Scored[] {
    const candidates = rows.map(({ cosine, length, frequencies, value }) => ({
      ...(cosine !== null && { cosine }),
      length: length ?? 0,
      text: value.content,
      termFrequencies: new Map(terms.map((term, index) => [term, frequencies?.[index] ?? 0])),
    }));
    const scores = scoreCandidates({ text, terms, statistics, model: this.#embedder.model.id }, candidates);
    return rows.map((row, index) => ({ memory: memoryOf(row), score: scores[index]! }));
  }
}

const partialWarning: Warning = {
  code: 'partial',
  detail: 'meaning could not be compared just now: these results match by words alone',
};

/** Threshold, near-duplicates, the best by score, and the order that was asked for (D4). */
function arrange(scored: readonly Scored[], { threshold, topK, order }: SearchRequest): SearchResult[] {
  const byScore = (left: Scored, right: Scored) =>
    right.score - left.score || (left.memory.id < right.memory.id ? 1 : -1);
  const above = scored.filter(({ score }) => score >= threshold).sort(byScore);
  const best = dropNearDuplicates(above).slice(0, topK);
  if (order === 'precedence') {
    best.sort(
      (left, right) => precedence(left.memory.layer) - precedence(right.memory.layer) || byScore(left, right),
    );
  }
  return best.map(({ memory, score }, index) => ({ memory, score, rank: index + 1 }));
}
