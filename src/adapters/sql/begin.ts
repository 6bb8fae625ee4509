import type { TransactionOptions } from '../../ports/sql.ts';

/** The role that reads on behalf of a tenant. It owns nothing, cannot log in, and is subject to row-level security. */
export const queryRole = 'stratalog_query';

/** A script that opens a transaction in one round trip. If a part fails, the transaction is aborted and runs nothing. */
export function beginScript({
  tenant,
  durable = true,
  readOnly = false,
  onePlan,
}: TransactionOptions): string {
  const parts = [readOnly ? 'begin read only' : 'begin'];
  // Not the default: a generic plan may be bad, for example if a null parameter disables a condition.
  if (onePlan) parts.push('set local plan_cache_mode = force_generic_plan');
  if (!durable) parts.push('set local synchronous_commit = off');
  if (tenant !== undefined)
    parts.push(`set local app.tenant = ${literal(tenant)}`, `set local role ${queryRole}`);
  return parts.join('; ');
}

/** A string constant, independent of `standard_conforming_strings`. */
function literal(text: string): string {
  return `E'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}

/** A quoted identifier, such as the name of a channel. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
