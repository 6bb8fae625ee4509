import { z } from 'zod';
import { textError } from './json.ts';

/** Most specific first (decision D1): the index is the precedence. */
export const layers = ['agent', 'user', 'session', 'project', 'team', 'org', 'company'] as const;
export type Layer = (typeof layers)[number];

/** 1 for agent … 7 for company: the lower wins. */
export function precedence(layer: Layer): number {
  return layers.indexOf(layer) + 1;
}

export const layerSchema = z.enum(layers).meta({ description: 'Who sees it, most specific first' });

/** Every identifier but `company`, which is the tenant and implied. */
export const scopeKeys = ['org', 'team', 'project', 'session', 'user', 'agent'] as const;
export type ScopeKey = (typeof scopeKeys)[number];

/** An identifier of a scope, a tag or a space: short, printable, stored as it is. */
export const identifier = printable(256);

/** A caller's own name of a memory. */
export const externalIdSchema = printable(512);

function printable(maxLength: number) {
  return z
    .string()
    .min(1)
    .max(maxLength)
    .superRefine((value, context) => {
      const fault = textError(value) ?? (/\p{Cc}/u.test(value) ? 'contains a control character' : undefined);
      if (fault) context.addIssue({ code: 'custom', message: fault });
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

/** Where a memory lives: its layer's own identifier and any others that place it. The tenant is not repeated. */
export type Scope = z.infer<typeof scopeSchema>;

/** Innermost first. People and agents are in them, and are no places. */
const containerKeys = ['session', 'project', 'team', 'org'] as const satisfies readonly ScopeKey[];

export interface ScopeContainer {
  readonly key: (typeof containerKeys)[number];
  readonly value: string;
}

/** The innermost place of a scope; undefined for one of the whole company or of a person alone. */
export function innermostContainer(scope: Scope): ScopeContainer | undefined {
  for (const key of containerKeys) {
    const value = scope[key];
    if (value !== undefined) return { key, value };
  }
  return undefined;
}
