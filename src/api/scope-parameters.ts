import type { z } from 'zod';
import { identifier, scopeKeys, type Scope, type ScopeKey } from '../domain/layers.ts';

/** `scope.team` and so on: what a query string can carry. */
export const scopeFields = Object.fromEntries(
  scopeKeys.map((key) => [`scope.${key}`, identifier.optional()]),
) as unknown as Readonly<Record<`scope.${ScopeKey}`, z.ZodOptional<typeof identifier>>>;

export const scopeParameters = Object.keys(scopeFields);

/** The scope that such fields of an input name. */
export function scopeNamedBy(
  input: Readonly<Partial<Record<`scope.${ScopeKey}`, string | undefined>>>,
): Scope {
  return Object.fromEntries(
    scopeKeys.flatMap((key) => (input[`scope.${key}`] === undefined ? [] : [[key, input[`scope.${key}`]]])),
  );
}
