import type { TenantContext } from '../../domain/access/context.ts';
import { visible } from '../../domain/access/visibility.ts';
import type { Filter } from '../../domain/filter.ts';
import type { Layer, Scope } from '../../domain/layers.ts';
import type { DrillLayer } from '../../domain/routing/actions.ts';
import { words } from '../../domain/text/tokens.ts';
import type { Sql } from '../../ports/sql.ts';
import type { ReadView } from '../read-models.ts';
import { column, regionCondition } from '../scope-sql.ts';
import { filterConditions } from '../search/filter-join.ts';
import { allOf, Parameters } from '../sql-builder.ts';

export interface PlaceRequest {
  readonly from: 'company' | DrillLayer;
  readonly to: DrillLayer;
  /** The question. Places whose names occur in it are preferred. */
  readonly filter: string;
  readonly layers?: readonly Layer[] | undefined;
  readonly scope?: Scope | undefined;
  /** A filter that the memories of a place must match. */
  readonly within?: Filter | undefined;
}

export interface ChildPlaces {
  readonly names: readonly string[];
  /** Whether the question names these places, or their parent. */
  readonly named: boolean;
}

/** Maximum number of places that are read: those with the most memories. */
const maxPlaces = 500;

/**
 * The places of one kind with memories that the caller may see, those with the most memories first. If the question names a
 * parent place, its children; otherwise the places that the question names; otherwise all.
 */
export async function findChildPlaces(
  sql: Sql,
  view: ReadView,
  caller: TenantContext,
  { from, to, filter, layers, scope, within }: PlaceRequest,
): Promise<ChildPlaces> {
  const visibility = visible(caller);
  if (visibility !== 'all' && visibility.length === 0) return { names: [], named: false };
  const parameters = new Parameters();
  const region = { tenant: caller.tenant, visibility, ...(layers && { layers }), ...(scope && { scope }) };
  const child = `m.${column(to)}`;
  const parent = from === 'company' ? `''` : `coalesce(m.${column(from)}, '')`;
  const conditions = allOf([
    'm.to_position is null',
    `m.state = 'active'`,
    `${child} is not null`,
    regionCondition(region, 'm', parameters),
    ...filterConditions({ filter: within, asker: caller.user, visibility }, view, 'm', parameters),
  ]);
  const rows = await sql.queryAs<{ parent: string; child: string }>(
    caller.tenant,
    `select ${parent} as parent, ${child} as child from ${view.table('memories')} m
     where ${conditions}
     group by 1, 2 order by count(*) desc limit ${maxPlaces}`,
    parameters.values,
  );
  const asked = new Set(words(filter));
  const isNamed = (name: string) => {
    const parts = words(name);
    return parts.length > 0 && parts.every((part) => asked.has(part));
  };
  const ofParent = rows.filter((row) => isNamed(row.parent));
  if (ofParent.length > 0) return { names: distinct(ofParent), named: true };
  const own = rows.filter((row) => isNamed(row.child));
  return own.length > 0 ? { names: distinct(own), named: true } : { names: distinct(rows), named: false };
}

function distinct(rows: readonly { readonly child: string }[]): string[] {
  return [...new Set(rows.map(({ child }) => child))];
}
