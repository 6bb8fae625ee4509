import { visibilityKeys } from '../../domain/access/visibility.ts';
import { layers as allLayers, scopeKeys, type Layer, type Scope } from '../../domain/layers.ts';
import type { SummaryScope } from '../../domain/summaries/summary-scope.ts';
import type { Sql } from '../../ports/sql.ts';
import type { ReadView } from '../read-models.ts';
import { column, scopeIn } from '../scope-sql.ts';
import { Parameters } from '../sql-builder.ts';
import { isSilentAmongMany, postingKey, scopeHash, scopeMemories, stateHash } from './scope-state.ts';

/** The hash of a scope without memories. */
const hashOfNothing = '0:0';

/**
 * What each scope holds now, as one hash, in the order of `scopes`. With `most`, reads at most that many memories of each scope; the
 * hash of a larger scope is then not that of any summary.
 */
export async function readScopeHashes(
  sql: Sql,
  view: ReadView,
  tenant: string,
  scopes: readonly SummaryScope[],
  most?: number,
): Promise<string[]> {
  if (scopes.length === 0) return [];
  return most === undefined
    ? hashesOfWhole(sql, view, tenant, scopes)
    : hashesOfSome(sql, view, tenant, scopes, most);
}

/** Reads all memories of the scopes at once, because most scopes together have most memories of a tenant. */
async function hashesOfWhole(
  sql: Sql,
  view: ReadView,
  tenant: string,
  scopes: readonly SummaryScope[],
): Promise<string[]> {
  const parameters = new Parameters();
  const own = parameters.bind(tenant);
  const keys = parameters.bind(scopes.map((scope) => postingKey(scope)));
  const wanted = parameters.bind([...new Set(scopes.map(({ layer }) => layer))]);
  const identifiers = scopeKeys.map((key) => {
    const of = allLayers.filter((layer) => visibilityKeys(layer).includes(key)).map((layer) => `'${layer}'`);
    return `case when m.layer in (${of.join(', ')}) then m.${column(key)} end as ${column(key)}`;
  });
  const silent = isSilentAmongMany(view, own, 'm');
  const rows = await sql.queryAs<{ layer: Layer; hash: string }>(
    tenant,
    `select layer, ${scopeKeys.map(column).join(', ')}, ${scopeHash('s')} as hash
     from (select m.layer, ${identifiers.join(', ')}, ${stateHash('m.value', silent, 'm.memory_id')} as state_hash
           from ${view.table('memories')} m
           where m.tenant = ${own} and m.to_position is null and m.state = 'active' and m.layer = any (${wanted}::text[])
             and m.memory_id in (select p.memory_id from ${view.table('memories', 'memories_postings')} p
               where p.tenant = ${own} and p.key = any (${keys}::bigint[]))) s
     group by layer, ${scopeKeys.map(column).join(', ')}`,
    parameters.values,
  );
  const hashes = new Map(rows.map((row) => [nameOf({ layer: row.layer, scope: scopeIn(row) }), row.hash]));
  return scopes.map((scope) => hashes.get(nameOf(scope)) ?? hashOfNothing);
}

async function hashesOfSome(
  sql: Sql,
  view: ReadView,
  tenant: string,
  scopes: readonly SummaryScope[],
  most: number,
): Promise<string[]> {
  const parameters = new Parameters();
  const parts = scopes.map(
    (scope, index) =>
      `select ${index} as place, ${scopeHash('s')} as hash
       from (select * from ${scopeMemories(view, tenant, scope, parameters)} m limit ${most}) s`,
  );
  const rows = await sql.queryAs<{ hash: string }>(
    tenant,
    `${parts.join(' union all ')} order by place`,
    parameters.values,
  );
  return rows.map(({ hash }) => hash);
}

/** What tells scopes of one tenant apart. */
const nameOf = ({ layer, scope }: { readonly layer: Layer; readonly scope: Scope }): string =>
  JSON.stringify([layer, ...visibilityKeys(layer).map((key) => scope[key] ?? null)]);
