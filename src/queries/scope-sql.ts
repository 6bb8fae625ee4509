import type { Region } from '../domain/access/region.ts';
import { scopeKeys, type ScopeKey } from '../domain/layers.ts';
import { allOf, anyOf, type Parameters } from './sql-builder.ts';

/** The region as a condition on the scope columns of `alias`. An empty visibility matches nothing. */
export function regionCondition(region: Region, alias: string, parameters: Parameters): string {
  const { tenant, visibility, layers, scope = {} } = region;
  const conditions = [`${alias}.tenant = ${parameters.bind(tenant)}`];
  if (visibility !== 'all') {
    conditions.push(
      anyOf(
        visibility.map(({ layer, key, values }) => {
          const own = `${alias}.layer = ${parameters.bind(layer)}`;
          return key === undefined
            ? own
            : allOf([own, `${alias}.${column(key)} = any (${parameters.bind([...(values ?? [])])}::text[])`]);
        }),
      ),
    );
  }
  if (layers) conditions.push(`${alias}.layer = any (${parameters.bind([...layers])}::text[])`);
  for (const key of scopeKeys) {
    const value = scope[key];
    if (value === undefined) continue;
    conditions.push(`${alias}.${column(key)} is null or ${alias}.${column(key)} = ${parameters.bind(value)}`);
  }
  return allOf(conditions);
}

export function column(key: ScopeKey): string {
  return key === 'user' ? 'user_id' : key;
}
