import { importanceOf, type Use } from '../../domain/summaries/importance.ts';
import type { Source } from '../../domain/summaries/extract.ts';
import { holdingSteps } from '../../domain/summaries/still-holding.ts';
import { successorSteps } from '../../domain/summaries/successors.ts';
import type { SummaryScope } from '../../domain/summaries/summary-scope.ts';
import { runInSlices } from '../../support/time-slice.ts';
import { affirmedSql } from '../memory-row.ts';
import type { ReadModels, ReadView } from '../read-models.ts';
import { allOf, anyOf, Parameters } from '../sql-builder.ts';
import { scopeHash, scopeMemories, scopeModels } from './scope-state.ts';
import { readScopeVectors, type VectorDependencies } from './scope-vectors.ts';

/** Maximum number of memories read of a scope: those that were stored last. */
const maxMemories = 2_000;
/** Maximum number of characters read of a memory, from its beginning. */
const maxCharacters = 20_000;

/** A memory of a scope. */
export interface ScopeSource extends Source {
  readonly externalId?: string;
}

/** What a summary of a scope is made from. */
export interface ScopeSources {
  readonly sources: readonly ScopeSource[];
  /** The memories among them that name a user. */
  readonly namingUsers: ReadonlySet<string>;
  readonly hash: string;
  readonly position: number;
  /** How many memories the user of a variant judged, and how many name the user. */
  readonly weighedBy?: { readonly judged: number; readonly own: number };
}

interface SourceRow extends Record<string, unknown> {
  readonly memory_id: string;
  readonly external_id: string | null;
  readonly spaces: readonly string[];
  readonly revision: number;
  readonly time: Date;
  readonly content: string;
  readonly names_user: boolean;
  /** Whether it names the person of a variant. */
  readonly own: boolean;
  readonly silent: boolean;
  readonly accesses: number | null;
  readonly judgements: Use['judgements'] | null;
  readonly hash: string;
}

/** Weight, in a variant, of the memories that do not name its user. */
const weightOfOthers = 0.5;

/** The memories of a scope that may be quoted, as far as the read models know them, which have at least `minPosition`. */
export function readScopeSources(
  dependencies: VectorDependencies,
  tenant: string,
  scope: SummaryScope,
  wait: { readonly minPosition: number; readonly waitMs: number },
): Promise<ScopeSources> {
  return dependencies.models.read({ projections: [...scopeModels, 'usage'], ...wait }, (view) =>
    readSourcesIn(dependencies, view, tenant, scope),
  );
}

/**
 * The same within a view of these read models and of `usage`. A variant for one user is made from the same memories, but weighs them by the
 * user's own feedback alone and prefers those that name the user, or the user's session.
 */
async function readSourcesIn(
  dependencies: VectorDependencies,
  view: ReadView,
  tenant: string,
  scope: SummaryScope,
): Promise<ScopeSources> {
  const rows = await readRows(dependencies.models, view, tenant, scope);
  const speaking = rows.filter(({ silent }) => !silent);
  return {
    sources: await current(dependencies, tenant, scope, sourcesOf(speaking, scope)),
    namingUsers: new Set(speaking.flatMap(({ memory_id: id, names_user }) => (names_user ? [id] : []))),
    hash: rows[0]?.hash ?? '0:0',
    position: view.position,
    ...(scope.person && {
      weighedBy: {
        judged: speaking.filter(({ judgements }) => judgements !== null).length,
        own: speaking.filter((row) => row.own).length,
      },
    }),
  };
}

/** Drops memories that a newer one replaces, in the same words or probably in others: a summary has room for few memories. */
async function current(
  dependencies: VectorDependencies,
  tenant: string,
  scope: SummaryScope,
  sources: readonly ScopeSource[],
): Promise<readonly ScopeSource[]> {
  const holding = await runInSlices(holdingSteps(sources, scope));
  const vectors = await readScopeVectors(dependencies, tenant, holding);
  if (!vectors) return holding;
  const successors = await runInSlices(successorSteps(holding, scope, vectors));
  return holding.filter(({ id }) => !successors.has(id));
}

/** Reads which of the `most` newest memories of a scope may be quoted. Reads no others, so that it is fast in a large scope. */
export async function readNewestSources(
  models: ReadModels,
  view: ReadView,
  tenant: string,
  scope: SummaryScope,
  most: number,
): Promise<readonly ScopeSource[]> {
  const rows = await readRows(models, view, tenant, scope, most);
  return sourcesOf(
    rows.filter(({ silent }) => !silent),
    scope,
  );
}

/** The newest memories of a scope, those that are not silent first. With `newest`, the hash is of that many. */
function readRows(
  models: ReadModels,
  view: ReadView,
  tenant: string,
  scope: SummaryScope,
  newest?: number,
): Promise<SourceRow[]> {
  const parameters = new Parameters();
  const memories = scopeMemories(view, tenant, scope, parameters, newest);
  const { person } = scope;
  const own = person
    ? allOf([
        `s.user_id is not distinct from ${parameters.bind(person.user)}`,
        ...(person.session === undefined
          ? []
          : [`s.session is not distinct from ${parameters.bind(person.session)}`]),
      ])
    : 'false';
  const judgedBy = person
    ? `and ${anyOf([
        `f.principal = ${parameters.bind(`user:${person.user}`)}`,
        // An agent that acted for the user.
        `right(f.principal, length(${parameters.bind(`,${JSON.stringify(person.user)}]`)})) = ${parameters.bind(`,${JSON.stringify(person.user)}]`)}`,
      ])}`
    : '';
  const lastAffirmed = `(${affirmedSql(view, { tenant: parameters.bind(tenant), memoryId: 's.memory_id' }, parameters)}->>'affirmedAt')::timestamptz`;
  return models.sql.queryAs<SourceRow>(
    tenant,
    `select s.memory_id, s.external_id, s.spaces, s.revision, greatest(coalesce(s.occurred_at, s.created_at), ${lastAffirmed}) as time,
       left(s.value->>'content', ${maxCharacters}) as content, s.user_id is not null as names_user, ${own} as own, s.silent, s.hash,
       u.accesses,
       (select jsonb_agg(jsonb_build_object('kind', f.kind, 'score', f.score)) from (
          select distinct on (f.kind, f.principal) f.kind, f.score from ${view.table('feedback')} f
          where f.tenant = ${parameters.bind(tenant)} and f.memory_id = s.memory_id and f.kind <> 'question' ${judgedBy}
          order by f.kind, f.principal, f.position desc) f) as judgements
     from (
       select s.*, ${scopeHash('s', ' over ()')} as hash from ${memories} s
       order by s.silent, s.memory_id desc limit ${maxMemories}) s
     left join ${view.table('usage')} u on u.tenant = ${parameters.bind(tenant)} and u.memory_id = s.memory_id`,
    parameters.values,
  );
}

function sourcesOf(speaking: readonly SourceRow[], { person }: SummaryScope): ScopeSource[] {
  const newest = new Date(Math.max(0, ...speaking.map(({ time }) => time.getTime())));
  return speaking.map(
    ({ memory_id: id, external_id, spaces, revision, time, content, accesses, judgements, own: isOwn }) => ({
      id,
      ...(external_id !== null && { externalId: external_id }),
      revision,
      content,
      time,
      spaces,
      importance:
        importanceOf({ time, accesses: accesses ?? 0, judgements: judgements ?? [] }, newest) *
        (person && !isOwn ? weightOfOthers : 1),
    }),
  );
}
