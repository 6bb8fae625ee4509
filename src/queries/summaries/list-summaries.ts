import type { TenantContext } from '../../domain/access/context.ts';
import { isVisible, visible } from '../../domain/access/visibility.ts';
import { precedence, scopeKeys, type Layer, type Scope } from '../../domain/layers.ts';
import { probability } from '../../domain/ranking/calibration.ts';
import { UNKNOWN_MODEL } from '../../domain/ranking/scales.ts';
import { depths as allDepths, type Depth } from '../../domain/summaries/depths.ts';
import type { Invalidation, SummaryTrigger } from '../../domain/summaries/events.ts';
import { freshnessOf, type Freshness } from '../../domain/summaries/freshness.ts';
import type { SummarySettings } from '../../domain/summaries/settings.ts';
import { placementOf, type SummaryScope } from '../../domain/summaries/summary-scope.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Embedders } from '../../ports/embedder.ts';
import { variantOf } from '../../read-models/generation-variant.ts';
import type { ReadModels, ReadView } from '../read-models.ts';
import { column, regionCondition, scopeIn } from '../scope-sql.ts';
import { QueryVectors, type QueryVector } from '../search/query-vectors.ts';
import { Parameters } from '../sql-builder.ts';
import { readScopeHashes } from './scope-hashes.ts';
import { scopeModels } from './scope-state.ts';

/** Maximum number of scopes in one answer. A caller that sees more must narrow the request. */
export const mostSummarizedScopes = 50;

export interface Summary extends SummaryScope {
  readonly depth: Depth;
  readonly content: string;
  readonly tokenCount: number;
  readonly tokenizer: string;
  readonly sourceHash: string;
  readonly sources: readonly { readonly id: string; readonly revision: number }[];
  readonly generatedAt: string;
  readonly model: string;
  readonly trigger: SummaryTrigger;
  readonly freshness: Freshness;
  /** To the query, 0..1. */
  readonly relevance?: number;
}

export interface AskedSummaries {
  readonly layer?: Layer | undefined;
  readonly scope?: Scope | undefined;
  readonly depth?: Depth | undefined;
  /** A question: each summary has its relevance to it. */
  readonly query?: string | undefined;
  readonly minPosition?: number | undefined;
  readonly waitMs?: number | undefined;
}

export interface SummaryPage {
  readonly items: readonly Summary[];
  readonly position: number;
}

interface SummaryRow extends Record<string, unknown> {
  readonly summary: string;
  readonly depth: Depth;
  readonly layer: Layer;
  readonly names_users: boolean;
  readonly content: string;
  readonly token_count: number;
  readonly source_hash: string;
  readonly sources: readonly string[];
  readonly generated_at: Date;
  readonly invalidated: Invalidation | null;
  readonly cosine: number | null;
  readonly facts: {
    readonly model: string;
    readonly tokenizer: string;
    readonly trigger: SummaryTrigger;
    readonly revisions: readonly number[];
  };
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
        : await this.#vectors.of(asked.query, variantOf(view.signature('summaries')));
    const rows = await this.#rows(view, caller, asked, vector);
    const places = new Map(rows.map((row) => [row.summary, { layer: row.layer, scope: scopeIn(row) }]));
    const visibility = visible(caller);
    const shown = rows.filter((row) =>
      isVisible(visibility, placementOf(places.get(row.summary)!, row.names_users)),
    );
    const scopes = [...new Set(shown.map(({ summary }) => summary))];
    const hashes = await readScopeHashes(
      models.sql,
      view,
      caller.tenant,
      scopes.map((summary) => places.get(summary)!),
    );
    const hashOf = new Map(scopes.map((summary, index) => [summary, hashes[index]!]));
    const now = clock.now();
    return shown
      .map((row): Summary => {
        const made = {
          sourceHash: row.source_hash,
          generatedAt: row.generated_at,
          invalidated: row.invalidated ?? undefined,
        };
        const freshness = freshnessOf(made, hashOf.get(row.summary)!, settings[row.layer], now);
        return summaryOf(row, places.get(row.summary)!, freshness, vector);
      })
      .sort(byPrecedence);
  }

  #rows(
    view: ReadView,
    { tenant, ...caller }: TenantContext,
    { layer, scope = {}, depth }: AskedSummaries,
    vector: QueryVector | undefined,
  ): Promise<SummaryRow[]> {
    const parameters = new Parameters();
    const region = {
      tenant,
      visibility: visible({ tenant, ...caller }),
      ...(layer && { layers: [layer] }),
      scope,
    };
    const cosine = vector
      ? `-(s.context_vector <#> ${parameters.bind(vector.vector)}::vector)`
      : 'null::float8';
    // An erased memory has no row as soon as its erasure was read, before the event that erases its summaries is.
    return this.#parts.models.sql.queryAs<SummaryRow>(
      tenant,
      `select s.summary, s.depth, s.layer, ${scopeKeys.map((key) => `s.${column(key)}`).join(', ')},
         s.names_users, s.content, s.token_count, s.source_hash, s.sources, s.generated_at, s.invalidated, s.facts,
         ${cosine} as cosine
       from ${view.table('summaries')} s
       where ${regionCondition(region, 's', parameters)} and not exists (
         select 1 from unnest(s.sources) source(id) where not exists (
           select 1 from ${view.table('memories')} m
           where m.tenant = s.tenant and m.memory_id = source.id::uuid and m.to_position is null))
       ${depth ? `and s.depth = ${parameters.bind(depth)}` : ''}
       order by array_position(array['agent', 'user', 'session', 'project', 'team', 'org', 'company'], s.layer), s.summary
       limit ${mostSummarizedScopes * allDepths.length}`,
      parameters.values,
    );
  }
}

function summaryOf(
  row: SummaryRow,
  place: SummaryScope,
  freshness: Freshness,
  vector: QueryVector | undefined,
): Summary {
  const { depth, content, token_count: tokenCount, source_hash: sourceHash, facts, cosine } = row;
  return {
    ...place,
    depth,
    content,
    tokenCount,
    tokenizer: facts.tokenizer,
    sourceHash,
    sources: row.sources.map((id, index) => ({ id, revision: facts.revisions[index]! })),
    generatedAt: row.generated_at.toISOString(),
    model: facts.model,
    trigger: facts.trigger,
    freshness,
    ...(vector &&
      cosine !== null && {
        relevance: probability(cosine, { cosine, overlap: 0 }, vector.model.scale ?? UNKNOWN_MODEL),
      }),
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
