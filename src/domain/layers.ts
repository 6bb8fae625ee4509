import { z } from 'zod';
import { textError } from './json.ts';

/** Most specific first (decision D1): the index is the precedence. */
export const layers = ['agent', 'user', 'session', 'project', 'team', 'org', 'company'] as const;
export type Layer = (typeof layers)[number];

/** 1 for agent … 7 for company; the lower number wins. */
export function precedence(layer: Layer): number {
  return layers.indexOf(layer) + 1;
}

export const layerSchema = z
  .enum(layers)
  .meta({ description: 'Layer that determines who can see the memory; values from most to least specific' });

/** The identifiers of a scope. `company` is not among them: it is the tenant. */
export const scopeKeys = ['org', 'team', 'project', 'session', 'user', 'agent'] as const;
export type ScopeKey = (typeof scopeKeys)[number];

/** A scope identifier, tag or space: short, printable, stored unchanged. */
export const identifier = printable(256);

/** The caller's own name for a memory, unique within its name space: the shared memories of the tenant, or the personal ones of an owner. */
export const externalIdSchema = printable(512);

function printable(maxLength: number) {
  return z
    .string()
    .min(1)
    .max(maxLength)
    .superRefine((value, context) => {
      const message =
        textError(value) ?? (/\p{Cc}/u.test(value) ? 'contains a control character' : undefined);
      if (message) context.addIssue({ code: 'custom', message });
    });
}

export const scopeSchema = z.strictObject({
  org: identifier.optional(),
  team: identifier.optional(),
  project: identifier.optional(),
  session: identifier.optional(),
  user: identifier.optional(),
  agent: identifier.optional(),
});

/** Where a memory belongs: the identifier of its own layer and any others. The tenant is not repeated here. */
export type Scope = z.infer<typeof scopeSchema>;

/** Whether somebody may belong to both scopes: no identifier has two values. */
export function scopesAgree(one: Scope, other: Scope): boolean {
  return scopeKeys.every((key) => {
    const [left, right] = [one[key], other[key]];
    return left === right || left === undefined || right === undefined;
  });
}

/** Scope keys that can contain memories of several users and agents, innermost first. */
const containerKeys = ['session', 'project', 'team', 'org'] as const satisfies readonly ScopeKey[];

export interface ScopeContainer {
  readonly key: (typeof containerKeys)[number];
  readonly value: string;
}

/** The innermost container of a scope; undefined if it names only a user, only an agent, or nothing. */
export function innermostContainer(scope: Scope): ScopeContainer | undefined {
  for (const key of containerKeys) {
    const value = scope[key];
    if (value !== undefined) return { key, value };
  }
  return undefined;
}
