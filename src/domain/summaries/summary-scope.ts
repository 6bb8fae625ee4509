import { z } from 'zod';
import { isVisible, visibilityKeys, type Placement, type Visibility } from '../access/visibility.ts';
import { scopeKeys, type Layer, type Scope } from '../layers.ts';

/** The user, perhaps in one session, that a personalised variant of a summary is for. Nobody else sees it. */
export const personSchema = z.object({ user: z.string(), session: z.string().optional() });
export type Person = z.infer<typeof personSchema>;

/**
 * What one summary is about: a layer and the identifiers that decide who sees its memories (`visibilityKeys`), and no others. Summaries
 * of sessions and agents never mix users.
 */
export interface SummaryScope {
  readonly layer: Layer;
  readonly scope: Scope;
  /** Only of a personalised variant. */
  readonly person?: Person | undefined;
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

/** A text that identifies the scope. */
export function summaryScopeKey({ layer, scope }: SummaryScope): string {
  return JSON.stringify([layer, ...visibilityKeys(layer).map((key) => scope[key] ?? null)]);
}

/** Identifies all summaries of a scope. The name of their stream is made from it. `signer` is a keyed hash, such as the vault's. */
export function summaryIdOf(
  signer: { pseudonym(purpose: string, tenant: string, value: string): string },
  tenant: string,
  scope: SummaryScope,
): string {
  return signer.pseudonym('summary', tenant, summaryScopeKey(scope));
}

/**
 * Where a summary belongs, for the rules of visibility. A summary that quotes memories which name a user is hidden, like these, from
 * agents that act for nobody.
 */
export function placementOf({ layer, scope }: SummaryScope, namesUsers: boolean): Placement {
  return { layer, scope: namesUsers && scope.user === undefined ? { ...scope, user: '' } : scope };
}

/** Whether both are for the same person, or both for everybody. */
export function isSamePerson(one: Person | undefined, other: Person | undefined): boolean {
  return one?.user === other?.user && one?.session === other?.session;
}

/** Whether a caller may see what is for this person. The rule is that for the user's memories of the layer `user`. */
export function seesPerson(visibility: Visibility, { user }: Person): boolean {
  return isVisible(visibility, { layer: 'user', scope: { user } });
}
