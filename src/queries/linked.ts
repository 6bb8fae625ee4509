import type { Region } from '../domain/access/region.ts';
import type { LinkType } from '../domain/links/links.ts';
import type { Sql } from '../ports/sql.ts';
import { joinUsage, memoryColumns, type MemoryRow } from './memory-row.ts';
import type { ReadView } from './read-models.ts';
import { regionCondition } from './scope-sql.ts';
import { wasValid } from './search/as-of/was-active.ts';
import { filterConditions, type MemoryFilters } from './search/filter-join.ts';
import { allOf, Parameters } from './sql-builder.ts';

/** A memory at the other end of a link. */
export interface LinkedRow extends MemoryRow {
  type: LinkType;
  /** Direction of the link as seen from `via`. */
  direction: 'outgoing' | 'incoming';
  confidence: number;
  /** The requested memory at this end of the link. */
  via: string;
}

export interface LinkedRequest extends MemoryFilters {
  /** Region of the memories at the other end. */
  readonly region: Region;
  readonly types?: readonly LinkType[] | undefined;
  readonly limit: number;
  /** If set, links and memories are those of this position. */
  readonly at?: number | undefined;
}

/**
 * Active memories with a link to or from any of these memories, in descending order of confidence. Runs one statement. The
 * view needs `links`, `memories`, `usage`, `feedback` and `values`.
 */
export function readLinked(
  sql: Sql,
  view: ReadView,
  ids: readonly string[],
  { region, types, limit, at, ...filters }: LinkedRequest,
): Promise<LinkedRow[]> {
  const parameters = new Parameters();
  const from = parameters.bind(ids);
  const tenant = parameters.bind(region.tenant);
  const ofType = types ? `and l.type = any (${parameters.bind([...types])}::text[])` : '';
  const holds = (alias: string) =>
    at === undefined ? `${alias}.to_position is null` : wasValid(alias, at, parameters);
  const inReach = allOf([
    `m.state = 'active'`,
    holds('m'),
    regionCondition(region, 'm', parameters),
    ...filterConditions(filters, view, 'm', parameters),
  ]);
  const end = (own: string, other: string, direction: LinkedRow['direction']) =>
    `select l.${other} as id, l.type, '${direction}' as direction, l.confidence, l.${own} as via
     from ${view.table('links')} l
     where l.tenant = ${tenant} and l.${own} = any (${from}::uuid[]) and ${holds('l')} ${ofType}`;
  return sql.queryAs<LinkedRow>(
    region.tenant,
    `select ${memoryColumns(view, filters.asker, parameters, at)}, n.type, n.direction, n.confidence, n.via
     from (${end('source', 'target', 'outgoing')} union all ${end('target', 'source', 'incoming')}) n
     join ${view.table('memories')} m on m.tenant = ${tenant} and m.memory_id = n.id
     ${joinUsage(view.table('usage'))}
     where ${inReach}
     order by n.confidence desc, m.memory_id, n.type limit ${limit}`,
    parameters.values,
  );
}
