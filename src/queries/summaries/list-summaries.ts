import type { TenantContext } from '../../domain/access/context.ts';
import { isVisible, visible } from '../../domain/access/visibility.ts';
import { precedence, scopeKeys, type Layer, type Scope } from '../../domain/layers.ts';
import { depths as allDepths, type Depth } from '../../domain/summaries/depths.ts';
import type { SummaryTrigger } from '../../domain/summaries/events.ts';
import { placementOf, type SummaryScope } from '../../domain/summaries/summary-scope.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ReadModels, ReadView } from '../read-models.ts';
import { column, regionCondition } from '../scope-sql.ts';
import { Parameters } from '../sql-builder.ts';
import { scopeHash, scopeMemories, scopeModels } from './scope-state.ts';

/** Maximum number of scopes in one answer. A caller that sees more must narrow the request. */
export const mostSummarizedScopes = 50;

export interface Freshness {
  readonly stale: boolean;
  readonly needsRegeneration: boolean;
  readonly ageSeconds: number;
  readonly reason?: 'changed';
}

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
}

export interface AskedSummaries {
  readonly layer?: Layer | undefined;
  readonly scope?: Scope | undefined;
  readonly depth?: Depth | undefined;
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
  readonly facts: {
    readonly model: string;
    readonly tokenizer: string;
    readonly trigger: SummaryTrigger;
    readonly revisions: readonly number[];
  };
}

/** The summaries that the caller may see, by precedence, and whether each still says what its scope holds. */
export function listSummaries(
  models: ReadModels,
  clock: Clock,
  caller: TenantContext,
  { minPosition, waitMs, ...asked }: AskedSummaries,
): Promise<SummaryPage> {
  return models.read({ projections: ['summaries', ...scopeModels], minPosition, waitMs }, async (view) => ({
    items: await summariesIn(models, view, clock.now(), caller, asked),
    position: view.position,
  }));
}

async function summariesIn(
  models: ReadModels,
  view: ReadView,
  now: Date,
  caller: TenantContext,
  { layer, scope = {}, depth }: AskedSummaries,
): Promise<Summary[]> {
  const visibility = visible(caller);
  const parameters = new Parameters();
  // A memory that is erased has no row before the event that erases its summaries is in the log. A shared summary names no user itself; `names_users` says whether its sources do.
  const region = regionCondition(
    { tenant: caller.tenant, visibility, ...(layer && { layers: [layer] }), scope },
    's',
    parameters,
  );
  const rows = await models.sql.queryAs<SummaryRow>(
    caller.tenant,
    `select s.summary, s.depth, s.layer, ${scopeKeys.map((key) => `s.${column(key)}`).join(', ')},
       s.names_users, s.content, s.token_count, s.source_hash, s.sources, s.generated_at, s.facts
     from ${view.table('summaries')} s
     where ${region} and not exists (
       select 1 from unnest(s.sources) source(id) where not exists (
         select 1 from ${view.table('memories')} m
         where m.tenant = s.tenant and m.memory_id = source.id::uuid and m.to_position is null))
     ${depth ? `and s.depth = ${parameters.bind(depth)}` : ''}
     order by array_position(array['agent', 'user', 'session', 'project', 'team', 'org', 'company'], s.layer), s.summary
     limit ${mostSummarizedScopes * allDepths.length}`,
    parameters.values,
  );
  const shown = rows
    .map((row) => ({ row, place: { layer: row.layer, scope: scopeIn(row) } }))
    .filter(({ row, place }) => isVisible(visibility, placementOf(place, row.names_users)));
  const hashes = await hashesOf(models, view, caller.tenant, shown);
  return shown
    .map(({ row, place }) => summaryOf(row, place, hashes.get(row.summary)!, now))
    .sort(
      (left, right) =>
        precedence(left.layer) - precedence(right.layer) ||
        (sortKey(left) < sortKey(right) ? -1 : Number(sortKey(left) > sortKey(right))) ||
        allDepths.indexOf(left.depth) - allDepths.indexOf(right.depth),
    );
}

const sortKey = ({ scope }: SummaryScope): string => JSON.stringify(scope);

/** What each scope holds now, by its key. */
async function hashesOf(
  models: ReadModels,
  view: ReadView,
  tenant: string,
  shown: readonly { readonly row: SummaryRow; readonly place: SummaryScope }[],
): Promise<ReadonlyMap<string, string>> {
  const hashes = new Map<string, string>();
  for (const { row, place } of shown) {
    if (hashes.has(row.summary)) continue;
    const parameters = new Parameters();
    const memories = scopeMemories(view, tenant, place, parameters);
    const [state] = await models.sql.queryAs<{ hash: string }>(
      tenant,
      `select ${scopeHash('s')} as hash from ${memories} s`,
      parameters.values,
    );
    hashes.set(row.summary, state!.hash);
  }
  return hashes;
}

function summaryOf(row: SummaryRow, place: SummaryScope, hash: string, now: Date): Summary {
  const { depth, content, token_count: tokenCount, source_hash: sourceHash, facts } = row;
  const stale = hash !== sourceHash;
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
    freshness: {
      stale,
      needsRegeneration: stale,
      ageSeconds: Math.max(0, Math.floor((now.getTime() - row.generated_at.getTime()) / 1_000)),
      ...(stale && { reason: 'changed' as const }),
    },
  };
}

function scopeIn(row: SummaryRow): Scope {
  return Object.fromEntries(
    scopeKeys.flatMap((key) => {
      const value = row[column(key)];
      return typeof value === 'string' ? [[key, value]] : [];
    }),
  );
}
