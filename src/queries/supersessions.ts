import type { TenantContext } from '../domain/access/context.ts';
import { visible } from '../domain/access/visibility.ts';
import { SupersessionGraph, type Supersession } from '../domain/links/supersession-graph.ts';
import type { Sql } from '../ports/sql.ts';
import { isOutdated } from './current-view.ts';
import type { ReadModels, ReadView } from './read-models.ts';
import { regionCondition } from './scope-sql.ts';
import { wasActive, wasValid } from './search/as-of/was-active.ts';
import type { Finding } from './search/finding.ts';
import { Parameters } from './sql-builder.ts';

/** Maximum number of links read, however long the chains are. */
const maxLinks = 2_000;

/**
 * The links by which active memories that the caller may see supersede these memories, directly or through others. With `at`,
 * as of that position. Runs one statement. The view needs `links` and `memories`.
 */
export async function readSupersessions(
  sql: Sql,
  view: ReadView,
  caller: TenantContext,
  ids: readonly string[],
  at?: number,
): Promise<SupersessionGraph> {
  const visibility = visible(caller);
  if (ids.length === 0 || (visibility !== 'all' && visibility.length === 0)) return new SupersessionGraph([]);
  const parameters = new Parameters();
  const region = regionCondition({ tenant: caller.tenant, visibility }, 'm', parameters);
  const tenant = parameters.bind(caller.tenant);
  const holds =
    at === undefined
      ? `l.to_position is null and m.to_position is null and m.state = 'active'`
      : `${wasValid('l', at, parameters)} and ${wasActive('m', at, parameters)}`;
  const step = (from: string, target: string) =>
    `select l.source, l.target, l.confidence from ${from} ${view.table('links')} l
       join ${view.table('memories')} m on m.tenant = l.tenant and m.memory_id = l.source
     where l.tenant = ${tenant} and l.type = 'supersedes' and ${target} and ${holds} and ${region}`;
  const rows = await sql.queryAs<Supersession & Record<string, unknown>>(
    caller.tenant,
    // `union` keeps each link once, so the recursion ends in circles.
    `with recursive chain as (
       ${step('', `l.target = any (${parameters.bind(ids)}::uuid[])`)}
       union
       ${step('chain c,', 'l.target = c.source')}
     ) select * from chain limit ${maxLinks}`,
    parameters.values,
  );
  return new SupersessionGraph(rows);
}

/**
 * The newest memory that supersedes each memory of a finding, by the id of the superseded one; with `asOf` as of then. Reads
 * nothing if it is known that no link says so, and with a new view if that of the finding is outdated.
 */
export async function readSuperseding(
  models: ReadModels,
  caller: TenantContext,
  { best, view }: Pick<Finding, 'best' | 'view'>,
  asOf?: number,
): Promise<ReadonlyMap<string, string>> {
  const ids = best.flatMap(({ memory, isSuperseded }) => (isSuperseded === false ? [] : [memory.id]));
  const read = (current: ReadView) => readSupersessions(models.sql, current, caller, ids, asOf);
  const supersessions = await read(view).catch((error: unknown) => {
    if (!isOutdated(error)) throw error;
    return models.read({ projections: ['links', 'memories'], minPosition: view.position }, read);
  });
  return new Map(
    ids.flatMap((id) => {
      const newest = supersessions.newest(id);
      return newest === undefined ? [] : [[id, newest] as const];
    }),
  );
}
