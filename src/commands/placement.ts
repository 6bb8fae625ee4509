import type { TenantContext } from '../domain/access/context.ts';
import { assertNamesServedUser } from '../domain/access/on-behalf.ts';
import { isWritable, isWriter, type Placement } from '../domain/access/visibility.ts';
import type { Layer, Scope } from '../domain/layers.ts';
import { invalid, Problem } from '../domain/problems.ts';

/** Layers whose memories belong to one user; the caller's user is the default there. */
const personal: readonly Layer[] = ['user', 'session', 'agent'];

/** A scope as callers send it: `company`, if given, is the tenant. */
export type SentScope = Scope & { readonly company?: string | undefined };

/**
 * Completes the scope from the credential and checks that the caller may write there. `what` names what is written. Throws if an
 * identifier is missing.
 */
export function writablePlacement(
  caller: TenantContext,
  { layer, scope: wanted }: { readonly layer: Layer; readonly scope: SentScope },
  what: string,
): Placement {
  // Checked first: a caller who writes nothing is not asked for missing identifiers.
  if (!isWriter(caller)) throw new Problem('forbidden', `this credential may not write ${what}`);
  const { company, ...identifiers } = wanted;
  if (company !== undefined && company !== caller.tenant) {
    throw invalid('scope.company', `must be the tenant of the credential, ${caller.tenant}, or left out`);
  }
  assertNamesServedUser(caller, identifiers);
  const scope: Scope = { ...identifiers };
  if (personal.includes(layer) && scope.user === undefined && caller.user !== undefined)
    scope.user = caller.user;
  if (layer === 'agent' && scope.agent === undefined && caller.agent !== undefined)
    scope.agent = caller.agent;
  if (layer !== 'company' && scope[layer] === undefined) {
    throw invalid(`scope.${layer}`, `is required for the layer ${layer}`);
  }
  if (!isWritable(caller, { layer, scope })) {
    throw new Problem('forbidden', `this credential may not write ${what} of this ${layer}`);
  }
  return { layer, scope };
}
