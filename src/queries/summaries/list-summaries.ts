import type { TenantContext } from '../../domain/access/context.ts';
import { precedence, type Layer, type Scope } from '../../domain/layers.ts';
import { depths as allDepths, type Depth } from '../../domain/summaries/depths.ts';
import type { Fallback } from '../../domain/grounding/fallback.ts';
import type { SummaryTrigger } from '../../domain/summaries/events.ts';
import { freshnessOf, type Freshness } from '../../domain/summaries/freshness.ts';
import type { SummarySettings } from '../../domain/summaries/settings.ts';
import type { Person, SummaryScope } from '../../domain/summaries/summary-scope.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Embedders } from '../../ports/embedder.ts';
import { variantOf } from '../../read-models/generation-variant.ts';
import type { ReadModels, ReadView } from '../read-models.ts';
import { QueryVectors, type QueryVector } from '../search/query-vectors.ts';
import { readScopeHashes } from './scope-hashes.ts';
import { scopeModels } from './scope-state.ts';
import { readSummaryRows, relevanceTo, type PlacedRow } from './summary-rows.ts';

export interface Summary extends Omit<SummaryScope, 'person'> {
  /** It is for one user. */
  readonly personalized: boolean;
  /** Whom it is for, how many of its memories that user judged, and how many name that user. */
  readonly personalization?: Person & { readonly judged: number; readonly own: number };
  readonly depth: Depth;
  readonly content: string;
  readonly tokenCount: number;
  readonly tokenizer: string;
  readonly sourceHash: string;
  readonly sources: readonly { readonly id: string; readonly revision: number }[];
  readonly generatedAt: string;
  readonly model: string;
  /** Why it is extractive although a language model is configured. */
  readonly fallback?: Fallback;
  readonly trigger: SummaryTrigger;
  readonly freshness: Freshness;
  /** Relevance to the query, 0..1. */
  readonly relevance?: number;
}

export interface AskedSummaries {
  readonly layer?: Layer | undefined;
  readonly scope?: Scope | undefined;
  readonly depth?: Depth | undefined;
  /** The variants for this user instead of the summaries for everybody. */
  readonly person?: Person | undefined;
  /** A question; each summary gets its relevance to it. */
  readonly query?: string | undefined;
  readonly minPosition?: number | undefined;
  readonly waitMs?: number | undefined;
}

export interface SummaryPage {
  readonly items: readonly Summary[];
  readonly position: number;
}

export interface SummaryReaderParts {
  readonly models: ReadModels;
  readonly embedders: Embedders;
  readonly clock: Clock;
  /** Called with what was read. */
  readonly onRead?: (summaries: readonly Summary[], durationMs: number) => void;
}

/** Reads the summaries of layers. */
export class SummaryReader {
  readonly #parts: SummaryReaderParts;
  readonly #vectors: QueryVectors;

  constructor(parts: SummaryReaderParts) {
    this.#parts = parts;
    this.#vectors = new QueryVectors(parts.embedders);
  }

  /**
   * The summaries that the caller may see, by precedence, each with whether it still says what its scope holds. `settings` are those of
   * the tenant.
   */
  async list(
    caller: TenantContext,
    settings: Readonly<Record<Layer, SummarySettings>>,
    { minPosition, waitMs, ...asked }: AskedSummaries,
  ): Promise<SummaryPage> {
    const { models, onRead } = this.#parts;
    const started = performance.now();
    const demand = { projections: ['summaries', ...scopeModels], minPosition, waitMs };
    const page = await models.read(demand, async (view) => ({
      items: await this.#read(view, caller, settings, asked),
      position: view.position,
    }));
    onRead?.(page.items, performance.now() - started);
    return page;
  }

  async #read(
    view: ReadView,
    caller: TenantContext,
    settings: Readonly<Record<Layer, SummarySettings>>,
    asked: AskedSummaries,
  ): Promise<Summary[]> {
    const { models, clock } = this.#parts;
    const vector =
      asked.query === undefined
        ? undefined
        : await this.#vectors.of(asked.query, variantOf(view.signature('summaries')), caller.tenant);
    const { layer, scope, depth, person } = asked;
    const found = await readSummaryRows(models.sql, view, caller, {
      ...(layer && { layers: [layer] }),
      scope,
      depth,
      person,
      near: vector,
    });
    const rows = found.filter(({ place }) => !place.person || settings[place.layer].personalized);
    const places = new Map(rows.map(({ summary, place }) => [summary, place]));
    const hashes = await readScopeHashes(models.sql, view, caller.tenant, [...places.values()]);
    const hashOf = new Map([...places.keys()].map((summary, index) => [summary, hashes[index]!]));
    const now = clock.now();
    return rows
      .map((row): Summary => {
        const freshness = freshnessIn(row, hashOf.get(row.summary)!, settings, now);
        return summaryOf(row, freshness, vector);
      })
      .sort(byPrecedence);
  }
}

/** Whether a summary still says what its scope holds. `hash` is the hash of what it holds now. */
export function freshnessIn(
  { place, source_hash: sourceHash, generated_at: generatedAt, invalidated }: PlacedRow,
  hash: string,
  settings: Readonly<Record<Layer, SummarySettings>>,
  now: Date,
): Freshness {
  const made = { sourceHash, generatedAt, invalidated: invalidated ?? undefined };
  return freshnessOf(made, hash, settings[place.layer], now);
}

/** The summary as callers see it. With the vector of a question, it has its relevance to that question. */
export function summaryOf(row: PlacedRow, freshness: Freshness, vector: QueryVector | undefined): Summary {
  const { depth, content, token_count: tokenCount, source_hash: sourceHash, facts, cosine } = row;
  return {
    layer: row.place.layer,
    scope: row.place.scope,
    personalized: row.place.person !== undefined,
    ...(row.place.person &&
      facts.weighedBy && { personalization: { ...row.place.person, ...facts.weighedBy } }),
    depth,
    content,
    tokenCount,
    tokenizer: facts.tokenizer,
    sourceHash,
    sources: facts.revisions.map((revision, index) => ({ id: row.sources[index]!, revision })),
    generatedAt: row.generated_at.toISOString(),
    model: facts.model,
    ...(facts.fallback !== undefined && { fallback: facts.fallback }),
    trigger: facts.trigger,
    freshness,
    ...(vector && cosine !== null && { relevance: relevanceTo(vector, cosine) }),
  };
}

function byPrecedence(left: Summary, right: Summary): number {
  const [one, other] = [JSON.stringify(left.scope), JSON.stringify(right.scope)];
  return (
    precedence(left.layer) - precedence(right.layer) ||
    (one < other ? -1 : Number(one > other)) ||
    allDepths.indexOf(left.depth) - allDepths.indexOf(right.depth)
  );
}
