import type { TransactionOptions } from '../../ports/sql.ts';

/** The role that reads on behalf of a tenant: it owns nothing, logs in nowhere, and row-level security binds it. */
export const queryRole = 'stratalog_query';

/** What opens a transaction, in one round trip. Where a part fails, the transaction is aborted and runs nothing. */
export function beginScript({
  tenant,
  durable = true,
  readOnly = false,
  onePlan,
}: TransactionOptions): string {
  const parts = [readOnly ? 'begin read only' : 'begin'];
  // Elsewhere one plan for any values may be bad: where a parameter may be null to say that it does not matter.
  if (onePlan) parts.push('set local plan_cache_mode = force_generic_plan');
  if (!durable) parts.push('set local synchronous_commit = off');
  if (tenant !== undefined)
    parts.push(`set local app.tenant = ${literal(tenant)}`, `set local role ${queryRole}`);
  return parts.join('; ');
}

/** A string constant, whatever `standard_conforming_strings` says. */
function literal(text: string): string {
  return `E'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}

/** A quoted name, of a channel for instance. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
