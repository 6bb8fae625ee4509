import { summaryStream } from '../../domain/streams.ts';
import { summaryScopeKey, type SummaryScope } from '../../domain/summaries/summary-scope.ts';
import type { StreamName } from '../../ports/event-log.ts';
import type { KeyVault } from '../../ports/key-vault.ts';

/** The stream with all summaries of a scope. */
export function summaryStreamOf(vault: KeyVault, tenant: string, scope: SummaryScope): StreamName {
  return summaryStream(tenant, summaryIdOf(vault, tenant, scope));
}

/** Identifies all summaries of a scope. */
export function summaryIdOf(vault: KeyVault, tenant: string, scope: SummaryScope): string {
  return vault.pseudonym('summary', tenant, summaryScopeKey(scope));
}
