import type { TenantContext } from '../../domain/access/context.ts';
import { isVisible, visible } from '../../domain/access/visibility.ts';
import { scopeKeys, type Layer, type Scope } from '../../domain/layers.ts';
import { probability } from '../../domain/ranking/calibration.ts';
import { scaleOf } from '../../domain/ranking/scales.ts';
import { depths as allDepths, type Depth } from '../../domain/summaries/depths.ts';
import type { Fallback } from '../../domain/grounding/fallback.ts';
import type { Invalidation, SummaryTrigger } from '../../domain/summaries/events.ts';
import {
  placementOf,
  seesPerson,
  type Person,
  type SummaryScope,
} from '../../domain/summaries/summary-scope.ts';
import type { Sql } from '../../ports/sql.ts';
import type { ReadView } from '../read-models.ts';
import { column, regionCondition, scopeIn } from '../scope-sql.ts';
import type { QueryVector } from '../search/query-vectors.ts';
import { Parameters } from '../sql-builder.ts';

/** Maximum number of scopes in one answer. A caller that sees more must narrow the request. */
export const maxSummarizedScopes = 50;

/** A summary as the read model has it. */
export interface SummaryRow extends Record<string, unknown> {
  /** Id of the summaries of the scope for everybody, or for one user. */
  readonly summary: string;
  readonly depth: Depth;
  readonly layer: Layer;
  readonly names_users: boolean;
  readonly content: string;
  readonly token_count: number;
  readonly source_hash: string;
  /** Ids of the memories. The first ones, as many as `revisions`, are quoted in the order of their marks; a model saw the others too. */
  readonly sources: readonly string[];
  readonly generated_at: Date;
  readonly invalidated: Invalidation | null;
  readonly cosine: number | null;
  readonly facts: {
    readonly model: string;
    readonly fallback?: Fallback;
    readonly tokenizer: string;
    readonly trigger: SummaryTrigger;
    readonly revisions: readonly number[];
    readonly weighedBy?: { readonly judged: number; readonly own: number };
  };
}

export interface AskedRows {
  readonly layers?: readonly Layer[] | undefined;
  readonly scope?: Scope | undefined;
  readonly depth?: Depth | undefined;
  /** The variants for this user instead of the summaries for everybody. */
  readonly person?: Person | undefined;
  /** Each row has the cosine of its vector to this one; the nearest come first. */
  readonly near?: QueryVector | undefined;
  /** Maximum number of rows; by default those of `maxSummarizedScopes` scopes. */
  readonly most?: number | undefined;
}

export type PlacedRow = SummaryRow & { readonly place: SummaryScope };

/** The summaries of at most `maxSummarizedScopes` scopes that the caller may see, or `most` of them. */
export async function readSummaryRows(
  sql: Sql,
  view: ReadView,
  caller: TenantContext,
  { layers, scope = {}, depth, person, near, most = maxSummarizedScopes * allDepths.length }: AskedRows,
): Promise<PlacedRow[]> {
  const { tenant } = caller;
  const parameters = new Parameters();
  const visibility = visible(caller);
  if (person && !seesPerson(visibility, person)) return [];
  const region = { tenant, visibility, ...(layers && { layers }), scope };
  const cosine = near ? `-(s.context_vector <#> ${parameters.bind(near.vector)}::vector)` : 'null::float8';
  const order = `${near ? 'cosine desc nulls last, ' : ''}array_position(array['agent', 'user', 'session', 'project', 'team', 'org', 'company'], s.layer), s.summary`;
  // The row of an erased memory is gone before the event that erases its summaries is read. That is looked up only for the summaries
  // of the answer, since each quotes many memories. `limit` keeps the lookup by index: as a join, all memories of the tenant would be
  // read for each summary where statistics are missing.
  const rows = await sql.queryAs<SummaryRow>(
    tenant,
    `select * from (
       select s.tenant, s.summary, s.depth, s.layer, ${scopeKeys.map((key) => `s.${column(key)}`).join(', ')},
         s.names_users, s.content, s.token_count, s.source_hash, s.sources, s.generated_at, s.invalidated, s.facts,
         ${cosine} as cosine
       from ${view.table('summaries')} s
       where ${regionCondition(region, 's', parameters)}
       and s.for_user is not distinct from ${parameters.bind(person?.user ?? null)}
       and s.for_session is not distinct from ${parameters.bind(person?.session ?? null)}
       ${depth ? `and s.depth = ${parameters.bind(depth)}` : ''}
       order by ${order} limit ${most}) s
     where not exists (
       select 1 from unnest(s.sources) source(id) where (
         select true from ${view.table('memories')} m
         where m.tenant = s.tenant and m.memory_id = source.id::uuid and m.to_position is null limit 1) is null)
     order by ${order}`,
    parameters.values,
  );
  return rows
    .map((row) => ({ ...row, place: { layer: row.layer, scope: scopeIn(row), ...(person && { person }) } }))
    .filter(({ place, names_users: namesUsers }) => isVisible(visibility, placementOf(place, namesUsers)));
}

/** Probability that a summary is relevant to a question, by the cosine of their vectors. */
export function relevanceTo({ model }: QueryVector, cosine: number): number {
  return probability(cosine, { cosine, overlap: 0 }, model.scale ?? scaleOf(model.id));
}
