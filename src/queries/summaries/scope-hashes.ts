import type { SummaryScope } from '../../domain/summaries/summary-scope.ts';
import type { Sql } from '../../ports/sql.ts';
import type { ReadView } from '../read-models.ts';
import { Parameters } from '../sql-builder.ts';
import { scopeHash, scopeMemories } from './scope-state.ts';

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
  const parameters = new Parameters();
  const limited = (memories: string) =>
    most === undefined ? memories : `(select * from ${memories} m limit ${most})`;
  const parts = scopes.map(
    (scope, index) =>
      `select ${index} as place, ${scopeHash('s')} as hash from ${limited(scopeMemories(view, tenant, scope, parameters))} s`,
  );
  const rows = await sql.queryAs<{ hash: string }>(
    tenant,
    `${parts.join(' union all ')} order by place`,
    parameters.values,
  );
  return rows.map(({ hash }) => hash);
}
