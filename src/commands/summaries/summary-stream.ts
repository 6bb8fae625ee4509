import { summaryStream } from '../../domain/streams.ts';
import type { SummaryEvent } from '../../domain/summaries/events.ts';
import { isSamePerson, summaryIdOf, type SummaryScope } from '../../domain/summaries/summary-scope.ts';
import type { StreamName } from '../../ports/event-log.ts';
import type { KeyVault } from '../../ports/key-vault.ts';

/** The stream with all summaries of a scope, for everybody and for single users: a memory is erased from all of them together. */
export function summaryStreamOf(vault: KeyVault, tenant: string, scope: SummaryScope): StreamName {
  return summaryStream(tenant, summaryIdOf(vault, tenant, scope));
}

/** Whether an event is about the summaries for this person, or for everybody. What invalidates summaries is about all of them. */
export function isOf({ person }: Pick<SummaryScope, 'person'>) {
  return ({ event }: { readonly event: SummaryEvent }): boolean =>
    event.type === 'SummaryInvalidated' || isSamePerson(event.data.person, person);
}
