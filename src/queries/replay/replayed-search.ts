import {
  causeOf,
  differencesOf,
  type AnswerDifference,
  type DifferenceCause,
} from '../../domain/retrieval/answer-differences.ts';
import type { RetrievalEvent } from '../../domain/retrieval/events.ts';
import type { EventStore } from '../../ports/event-store.ts';
import type { AuditedSearch } from '../audit-search.ts';
import type { RoutedSearch } from '../routing/routed-search.ts';
import type { TenantDirectory } from '../tenant-directory.ts';
import { firstEvents, recordedQuestion } from './recorded-question.ts';

export type PerformedSearch = Extract<RetrievalEvent, { type: 'SearchPerformed' }>['data'];

export interface ReplayDependencies {
  readonly store: EventStore;
  readonly search: Pick<RoutedSearch, 'search'>;
  readonly directory: TenantDirectory;
}

export interface ReplayedSearch {
  /** The answer as it would be recorded if it were given now. */
  readonly now: PerformedSearch;
  readonly differences: readonly (AnswerDifference & { readonly cause: DifferenceCause })[];
}

/**
 * Runs a recorded search again in the name of its caller, as of the position that it read, and compares the answers. Nothing
 * is recorded. Throws `not-replayable` if the question is erased or cannot be asked about the past, and as a search as of a
 * position does.
 */
export async function replaySearch(
  { store, search: searches, directory }: ReplayDependencies,
  search: AuditedSearch,
  waitMs?: number,
): Promise<ReplayedSearch> {
  const { performed } = search;
  const { data: recorded } = performed.event;
  const { tenant } = performed.metadata;
  const { readPosition, results: before } = recorded;
  const question = await recordedQuestion({ store, directory }, search);
  const { caller, isPresumed, asked, options } = question;
  const first = new Map(question.first);
  // An erasure that is in the log must be seen, and the statistics of all read models must be of one time.
  const minPosition = await store.log.head();
  const past = { asOf: readPosition, minPosition, waitMs };
  const { fact } = await searches.search(caller, { ...asked, ...past }, options);
  const { data: now } = fact.events.find((event) => event.type === 'SearchPerformed')!;
  const differences = differencesOf(before, now.results);
  const added = differences.flatMap(({ id, kind }) => (kind === 'added' ? [id] : []));
  for (const [id, event] of await firstEvents(store, tenant, added)) first.set(id, event);
  const circumstances = {
    before,
    after: now.results,
    isErased: (id: string) => first.get(id)?.erased === true,
    isLater: (id: string) => (first.get(id)?.position ?? 0) > readPosition,
    hasOtherModel: recorded.embeddingModel !== now.embeddingModel,
    hasOtherRoute: recorded.route !== now.route,
    isPresumed,
  };
  return {
    now,
    differences: differences.map((one) => ({ ...one, cause: causeOf(one, circumstances) })),
  };
}
