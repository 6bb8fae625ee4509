import type { Placement } from '../access/visibility.ts';
import { scopeKeys, type Layer, type Scope, type ScopeKey } from '../layers.ts';

/** What one summary is about: a layer and the identifiers that name it there, and no others. */
export interface SummaryScope {
  readonly layer: Layer;
  readonly scope: Scope;
}

/** The identifiers that name a scope of the layer. Summaries of sessions and agents never mix users. */
export function identifiersOf(layer: Layer): readonly ScopeKey[] {
  switch (layer) {
    case 'company':
      return [];
    case 'session':
    case 'agent':
      return [layer, 'user'];
    case 'org':
    case 'team':
    case 'project':
    case 'user':
      return [layer];
    default:
      return layer satisfies never;
  }
}

/** The scope whose summary a memory is a source of. */
export function summaryScopeOf({ layer, scope }: Placement): SummaryScope {
  const wanted = identifiersOf(layer);
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
  return JSON.stringify([layer, ...identifiersOf(layer).map((key) => scope[key] ?? null)]);
}

/**
 * Where a summary belongs, for the rules of visibility. A summary that quotes memories which name a user is hidden, like these, from
 * agents that act for nobody.
 */
export function placementOf({ layer, scope }: SummaryScope, namesUsers: boolean): Placement {
  return { layer, scope: namesUsers && scope.user === undefined ? { ...scope, user: '' } : scope };
}
