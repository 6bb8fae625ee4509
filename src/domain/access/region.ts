import { layers, precedence, scopeKeys, type Layer, type Scope, type ScopeKey } from '../layers.ts';
import type { Visibility } from './visibility.ts';

/** The part of the tenant that a read covers: what the caller may see, narrowed by what it asks for. */
export interface Region {
  readonly tenant: string;
  readonly visibility: Visibility;
  readonly layers?: readonly Layer[];
  /** Narrows the region as `scopeTests` says; it never widens what the caller may see. */
  readonly scope?: Scope;
}

/** A memory passes if its `key` has this value, or if it lacks the key and its layer is one of `without`. */
export interface ScopeTest {
  readonly key: ScopeKey;
  readonly value: string;
  readonly without: readonly Layer[];
}

const sharedLayers: readonly Layer[] = ['project', 'team', 'org', 'company'];

/**
 * The tests that a memory must all pass to be in `scope`. A memory that lacks a key which the scope names is in it only if
 * it is shared and of a more general layer than the key, or if the scope names the identifier of its own layer: a question to
 * one project reads the memories of the company, but not the sessions of other projects.
 */
export function scopeTests(scope: Scope): readonly ScopeTest[] {
  const isNamed = (layer: Layer): boolean => layer !== 'company' && scope[layer] !== undefined;
  return scopeKeys.flatMap((key) => {
    const value = scope[key];
    if (value === undefined) return [];
    const without = layers.filter(
      (layer) =>
        layer !== key &&
        ((sharedLayers.includes(layer) && precedence(layer) > precedence(key)) || isNamed(layer)),
    );
    return [{ key, value, without }];
  });
}
