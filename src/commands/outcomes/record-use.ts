import type { OutcomeSignal } from '../../domain/learning/outcome.ts';
import { explicitlyUsed, usedResults, userOf } from '../../domain/learning/used-results.ts';
import type { UseEvent } from '../../domain/learning/value-events.ts';
import { canonicalJson } from '../../domain/json.ts';
import type { RetrievalEvent } from '../../domain/retrieval/events.ts';
import { retrievalStream, useStream } from '../../domain/streams.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import { changeStream } from '../change-stream.ts';
import type { CommandContext, CommandServices } from '../context.ts';

type Performed = Extract<RetrievalEvent, { type: 'SearchPerformed' }>['data'];

/**
 * Records which results of a search were used, by its explicit outcome; none of them if the outcome was withdrawn. Nothing if there never
 * was one, nothing if that is recorded already, and nothing while the search itself is not in the log. Repeatable.
 */
export async function recordUse(
  services: CommandServices,
  context: CommandContext,
  search: string,
  signals: readonly OutcomeSignal[],
): Promise<void> {
  const used = explicitlyUsed(signals);
  const isWithdrawn = !used && signals.some(({ kind }) => kind === 'withdrawn');
  if (!used && !isWithdrawn) return;
  const { tenant } = context.caller;
  const events = await services.store.load<RetrievalEvent>(retrievalStream(tenant, search));
  const performed = events.find(({ event }) => event.type === 'SearchPerformed');
  if (performed?.event.type !== 'SearchPerformed') return;
  const { searchId, results } = performed.event.data;
  const user = userOf(performed.metadata);
  const observed: UseEvent = {
    type: 'UseObserved',
    data: {
      searchId,
      // An erased question has no text.
      ...(!performed.erased && { question: questionKey(services.vault, tenant, user, performed.event.data) }),
      ...(user !== undefined && { user }),
      askedAt: performed.position,
      results: used ? usedResults(results, used) : [],
    },
  };
  await changeStream<UseEvent>(services, context, {
    stream: useStream(tenant, search),
    memoryId: '',
    decide: (loaded) => {
      const { results: last = [] } = loaded.at(-1)?.event.data ?? {};
      const { results: now } = observed.data;
      const isKnown = last.length === now.length && last.every(({ used: was }, at) => was === now[at]?.used);
      return isKnown ? [] : [observed];
    },
  });
}

/** A key that is the same when a question is asked again in the same place; case and spaces make no difference. */
function questionKey(
  vault: KeyVault,
  tenant: string,
  user: string | undefined,
  { query, layers, scope, spaces, tags }: Performed,
): string {
  const text = query.toLowerCase().split(/\s+/u).join(' ').trim();
  return vault.pseudonym('question', tenant, canonicalJson({ user, text, layers, scope, spaces, tags }));
}
