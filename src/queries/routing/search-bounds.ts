import type { Filter } from '../../domain/filter.ts';
import { layers as allLayers, precedence, scopeKeys, type Layer, type Scope } from '../../domain/layers.ts';

/** Limits of a search: layers, scope and filter. */
export interface SearchBounds {
  readonly layers?: readonly Layer[] | undefined;
  readonly scope?: Scope | undefined;
  readonly filter?: Filter | undefined;
}

/**
 * The intersection of two bounds; undefined if it must be empty. A plan can only narrow the bounds of the request. A scoped
 * search also returns memories without the identifiers of the scope, so layers that are more general than the inner scope
 * are left out.
 */
export function intersect(outer: SearchBounds, inner: SearchBounds): SearchBounds | undefined {
  const scope: Scope = { ...outer.scope };
  for (const key of scopeKeys) {
    const value = inner.scope?.[key];
    if (value === undefined) continue;
    if (scope[key] !== undefined && scope[key] !== value) return undefined;
    scope[key] = value;
  }
  const parts = [outer.layers, inner.layers, layersWithin(inner.scope)].filter((part) => part !== undefined);
  const layers = allLayers.filter((layer) => parts.every((part) => part.includes(layer)));
  if (layers.length === 0) return undefined;
  const filters = [outer.filter, inner.filter].filter((filter) => filter !== undefined);
  return {
    ...(parts.length > 0 && { layers }),
    ...(Object.keys(scope).length > 0 && { scope }),
    ...(filters.length === 1 && { filter: filters[0] }),
    ...(filters.length > 1 && { filter: { kind: 'and', filters } }),
  };
}

/** Whether the bounds limit anything. */
export function isBounded({ layers, scope, filter }: SearchBounds): boolean {
  return layers !== undefined || filter !== undefined || Object.keys(scope ?? {}).length > 0;
}

/** The layers whose memories can carry the identifiers of a scope. */
function layersWithin(scope: Scope = {}): readonly Layer[] | undefined {
  const own = allLayers.filter((layer) => layer !== 'company' && scope[layer] !== undefined);
  if (own.length === 0) return undefined;
  const most = Math.min(...own.map(precedence));
  return allLayers.filter((layer) => precedence(layer) <= most);
}
