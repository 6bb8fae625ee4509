import { hasRole, type TenantContext } from '../access/context.ts';
import { layers, type Layer, type Scope } from '../layers.ts';

/**
 * The layer of a trace is that of the most specific identifier in its scope. Without any identifier, the trace belongs to the caller's
 * user; to the agent, if it acts for nobody; or to the tenant, if an admin has no user.
 */
export function traceLayer(
  caller: TenantContext,
  scope: Scope & { readonly company?: string | undefined },
): Layer {
  const named = layers.find((layer) => scope[layer] !== undefined);
  if (named !== undefined) return named;
  if (caller.user !== undefined) return 'user';
  if (hasRole(caller, 'agent')) return 'agent';
  return hasRole(caller, 'admin') ? 'company' : 'user';
}
