import { scopeTests, type Region } from '../domain/access/region.ts';
import type { Placement, Visibility } from '../domain/access/visibility.ts';
import { scopeKeys, type Scope, type ScopeKey } from '../domain/layers.ts';
import { allOf, anyOf, type Parameters } from './sql-builder.ts';

/** The region as a condition on the scope columns of `alias`. An empty visibility matches nothing. */
export function regionCondition(region: Region, alias: string, parameters: Parameters): string {
  const { tenant, visibility, layers, scope = {} } = region;
  const conditions = [`${alias}.tenant = ${parameters.bind(tenant)}`];
  if (visibility !== 'all') conditions.push(visibilityCondition(visibility, alias, parameters));
  if (layers) conditions.push(`${alias}.layer = any (${parameters.bind([...layers])}::text[])`);
  for (const { key, value, without } of scopeTests(scope)) {
    const own = `${alias}.${column(key)}`;
    const lacking = `${own} is null and ${alias}.layer = any (${parameters.bind([...without])}::text[])`;
    conditions.push(anyOf([`${own} = ${parameters.bind(value)}`, ...(without.length > 0 ? [lacking] : [])]));
  }
  return allOf(conditions);
}

/** That a row is visible, as a condition on the scope columns of `alias`; its tenant is not tested. */
export function visibilityCondition(visibility: Visibility, alias: string, parameters: Parameters): string {
  if (visibility === 'all') return 'true';
  return anyOf(
    visibility.map(({ layer, key, values = [], withoutUser }) =>
      allOf([
        `${alias}.layer = ${parameters.bind(layer)}`,
        ...(key ? [`${alias}.${column(key)} = any (${parameters.bind([...values])}::text[])`] : []),
        ...(withoutUser ? [`${alias}.${column('user')} is null`] : []),
      ]),
    ),
  );
}

/** That a row has exactly this layer and scope. */
export function exactly(
  tenant: string,
  { layer, scope }: Placement,
  alias: string,
  parameters: Parameters,
): string {
  return allOf([
    `${alias}.tenant = ${parameters.bind(tenant)}`,
    `${alias}.layer = ${parameters.bind(layer)}`,
    ...scopeKeys.map((key) =>
      scope[key] === undefined
        ? `${alias}.${column(key)} is null`
        : `${alias}.${column(key)} = ${parameters.bind(scope[key])}`,
    ),
  ]);
}

export function column(key: ScopeKey): string {
  return key === 'user' ? 'user_id' : key;
}

/** The scope in the columns of a row. */
export function scopeIn(row: Readonly<Record<string, unknown>>): Scope {
  return Object.fromEntries(
    scopeKeys.flatMap((key) => {
      const value = row[column(key)];
      return typeof value === 'string' ? [[key, value]] : [];
    }),
  );
}
