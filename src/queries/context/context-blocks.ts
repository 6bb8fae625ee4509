import type { TenantContext } from '../../domain/access/context.ts';
import type { ProfileCandidate } from '../../domain/context/block.ts';
import { layers, type Layer } from '../../domain/layers.ts';
import type { SummarySettings } from '../../domain/summaries/settings.ts';
import type { SummaryScope } from '../../domain/summaries/summary-scope.ts';
import { carriesMeaning } from '../../domain/text/carries-meaning.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Embedders } from '../../ports/embedder.ts';
import { variantOf } from '../../read-models/generation-variant.ts';
import type { ReadModels, Wait } from '../read-models.ts';
import { QueryVectors } from '../search/query-vectors.ts';
import {
  freshnessIn,
  summaryOf,
  type Summary,
  type SummaryReaderParts,
} from '../summaries/list-summaries.ts';
import { readScopeHashes } from '../summaries/scope-hashes.ts';
import { scopeModels } from '../summaries/scope-state.ts';
import type { PlacedRow } from '../summaries/summary-rows.ts';
import { readProfile } from './profile.ts';
import { readRelevantSummaries, type AskedLayers, type RelevantSummary } from './relevant-summaries.ts';

export interface ContextBlocksDependencies {
  readonly models: ReadModels;
  readonly embedders: Embedders;
  readonly clock: Clock;
  readonly settingsOf: (tenant: string) => Promise<Readonly<Record<Layer, SummarySettings>>>;
  /** The id of all summaries of a scope. */
  readonly idOf: (tenant: string, scope: SummaryScope) => string;
  /** Called with the summaries that a context uses. */
  readonly onRead?: SummaryReaderParts['onRead'];
}

export interface AskedBlocks extends Omit<AskedLayers, 'personalizedLayers'>, Wait {
  readonly query: string;
}

const read = ['summaries', ...scopeModels];
/** The memories of a larger scope are not compared with its summary, which would take too long for a context. */
const maxHashed = 2_000;

/** Reads the summaries for contexts. */
export class ContextBlocks {
  readonly #dependencies: ContextBlocksDependencies;
  readonly #vectors: QueryVectors;

  constructor(dependencies: ContextBlocksDependencies) {
    this.#dependencies = dependencies;
    this.#vectors = new QueryVectors(dependencies.embedders);
  }

  /** What is stably true of a user, if the caller may see it. */
  async profile(caller: TenantContext, user: string, wait: Wait): Promise<ProfileCandidate | undefined> {
    const { models, idOf } = this.#dependencies;
    await models.view({ projections: scopeModels, ...wait });
    const id = idOf(caller.tenant, { layer: 'user', scope: { user } });
    return models.read({ projections: [...read, 'usage'] }, (view) =>
      readProfile(this.#dependencies, view, caller, { user, id }),
    );
  }

  /** The summaries that matter for a question, the most relevant first. */
  async summaries(
    caller: TenantContext,
    { query, minPosition, waitMs, ...asked }: AskedBlocks,
  ): Promise<RelevantSummary[]> {
    const { sql } = this.#dependencies.models;
    // Summaries wait for their vectors. If these cannot be made, older summaries serve, but never with a memory that was erased.
    await this.#dependencies.models.view({ projections: scopeModels, minPosition, waitMs });
    return this.#dependencies.models.read({ projections: read }, async (view) => {
      const [first] = await sql.queryAs(
        caller.tenant,
        `select 1 from ${view.table('summaries')} where tenant = $1 limit 1`,
        [caller.tenant],
      );
      if (!first) return [];
      const [settings, vector] = await Promise.all([
        this.#dependencies.settingsOf(caller.tenant),
        carriesMeaning(query)
          ? this.#vectors.of(query, variantOf(view.signature('summaries')), caller.tenant)
          : undefined,
      ]);
      const personalizedLayers = layers.filter((layer) => settings[layer].personalized);
      return readRelevantSummaries(sql, view, caller, { ...asked, personalizedLayers }, vector);
    });
  }

  /**
   * The given summaries, each with whether it still says what its scope holds. The summary of a scope with thousands of memories counts
   * as stale only if a memory that it quotes was changed or deleted, or if it is too old.
   */
  async withFreshness(tenant: string, rows: readonly PlacedRow[]): Promise<readonly Summary[]> {
    if (rows.length === 0) return [];
    const { models, clock, settingsOf, onRead } = this.#dependencies;
    const started = performance.now();
    const [settings, hashes] = await Promise.all([
      settingsOf(tenant),
      models.read({ projections: scopeModels }, (view) =>
        readScopeHashes(
          models.sql,
          view,
          tenant,
          rows.map(({ place }) => place),
          maxHashed + 1,
        ),
      ),
    ]);
    const now = clock.now();
    const summaries = rows.map((row, index) => {
      const isCompared = Number.parseInt(row.source_hash, 10) <= maxHashed || row.invalidated !== null;
      const hash = isCompared ? hashes[index]! : row.source_hash;
      return summaryOf(row, freshnessIn(row, hash, settings, now), undefined);
    });
    onRead?.(summaries, performance.now() - started);
    return summaries;
  }
}
