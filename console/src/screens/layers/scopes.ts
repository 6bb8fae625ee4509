import type { Summary } from '@stratalog/client';
import type { Layer } from '../../app/vocabulary.ts';

export type ScopeKey = keyof Summary['scope'];

/** What the layers hold, in a few words. */
export const layerMeanings: Readonly<Record<Layer, string>> = {
  agent: 'what one agent knows for a user',
  user: 'what is about one person',
  session: 'what was said in one session',
  project: 'what a project shares',
  team: 'what a team shares',
  org: 'what an organisation shares',
  company: 'what everybody shares',
};

/** The identifiers that name a scope of the layer. */
export function scopeKeysOf(layer: Layer): readonly ScopeKey[] {
  if (layer === 'company') return [];
  return layer === 'session' || layer === 'agent' ? ['user', layer] : [layer];
}

/** A scope in words, such as `team platform`. */
export function scopeName({ layer, scope }: Pick<Summary, 'layer' | 'scope'>): string {
  const named = scopeKeysOf(layer).flatMap((key) =>
    scope[key] === undefined ? [] : [`${key} ${scope[key]}`],
  );
  return named.length === 0 ? layer : named.join(', ');
}

/** All summaries of one scope, one per depth. */
export interface SummarizedScope {
  readonly key: string;
  readonly layer: Layer;
  readonly scope: Summary['scope'];
  readonly summaries: readonly Summary[];
}

const depthOrder = ['sentence', 'paragraph', 'detailed'];

/** The summaries by scope, in the order in which they came, the shortest depth first. */
export function byScope(summaries: readonly Summary[]): SummarizedScope[] {
  const scopes = new Map<string, Summary[]>();
  for (const summary of summaries) {
    const key = `${summary.layer}: ${scopeName(summary)}`;
    scopes.set(key, [...(scopes.get(key) ?? []), summary]);
  }
  return [...scopes].map(([key, found]) => ({
    key,
    layer: found[0]!.layer,
    scope: found[0]!.scope,
    summaries: found.toSorted((a, b) => depthOrder.indexOf(a.depth) - depthOrder.indexOf(b.depth)),
  }));
}
