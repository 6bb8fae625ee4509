import { visibilityKeys, type Placement } from '../access/visibility.ts';
import { scopeKeys, type Layer, type Scope } from '../layers.ts';

/**
 * What one summary is about: a layer and the identifiers that decide who sees its memories (`visibilityKeys`), and no others. Summaries
 * of sessions and agents never mix users.
 */
export interface SummaryScope {
  readonly layer: Layer;
  readonly scope: Scope;
}

/** The scope whose summary a memory is a source of. */
export function summaryScopeOf({ layer, scope }: Placement): SummaryScope {
  const wanted = visibilityKeys(layer);
  return {
    layer,
    scope: Object.fromEntries(
      scopeKeys.flatMap((key) => {
        const value = scope[key];
        return wanted.includes(key) && value !== undefined ? [[key, value]] : [];
      }),
    ),
  };
}

/** A text that identifies the scope. The name of its stream is made from it. */
export function summaryScopeKey({ layer, scope }: SummaryScope): string {
  return JSON.stringify([layer, ...visibilityKeys(layer).map((key) => scope[key] ?? null)]);
}

/**
 * Where a summary belongs, for the rules of visibility. A summary that quotes memories which name a user is hidden, like these, from
 * agents that act for nobody.
 */
export function placementOf({ layer, scope }: SummaryScope, namesUsers: boolean): Placement {
  return { layer, scope: namesUsers && scope.user === undefined ? { ...scope, user: '' } : scope };
}
