import type { Placement } from '../../domain/access/visibility.ts';
import { parseFilter, type Filter } from '../../domain/filter.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { MemoryEvent } from '../../domain/memory/events.ts';
import { Problem } from '../../domain/problems.ts';
import { scoreOf } from '../../domain/ranking/score-scale.ts';
import {
  causeOf,
  differencesOf,
  type AnswerDifference,
  type DifferenceCause,
} from '../../domain/retrieval/answer-differences.ts';
import type { RetrievalEvent } from '../../domain/retrieval/events.ts';
import { memoryStream } from '../../domain/streams.ts';
import type { EventStore, LoadedEvent } from '../../ports/event-store.ts';
import type { AuditedSearch } from '../audit-search.ts';
import type { RoutedSearch } from '../routing/routed-search.ts';
import type { Asked } from '../search/answer.ts';
import type { TenantDirectory } from '../tenant-directory.ts';
import { recordedCaller } from './recorded-caller.ts';

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

/** How many events are read at once. */
const readAtOnce = 100;

/**
 * Runs a recorded search again in the name of its caller, as of the position that it read, and compares the answers. Nothing
 * is recorded. Throws `not-replayable` if the question is erased or cannot be asked about the past, and as a search as of a
 * position does.
 */
export async function replaySearch(
  { store, search, directory }: ReplayDependencies,
  { performed, context }: AuditedSearch,
  waitMs?: number,
): Promise<ReplayedSearch> {
  const { data: recorded } = performed.event;
  const { tenant } = performed.metadata;
  const { readPosition, results: before } = recorded;
  const asked = askedAgain(performed);
  const first = await firstEvents(
    store,
    tenant,
    before.map(({ memoryId }) => memoryId),
  );
  const { caller, isPresumed } = await recordedCaller(
    directory,
    tenant,
    performed.metadata,
    [...first.values()].flatMap(({ event }) => placementOf(event)),
  );
  // An erasure that is in the log must be seen, and the statistics of all read models must be of one time.
  const minPosition = await store.log.head();
  const { fact } = await search.search(
    caller,
    { ...asked, asOf: readPosition, minPosition, waitMs },
    // A context is not cut off where the best is far ahead.
    { asksForStandard: true, keepsDistant: context !== undefined },
  );
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

/** The recorded question as it is asked again. */
function askedAgain({ event: { data }, erased, time }: AuditedSearch['performed']): Asked {
  const { query, layers, scope, spaces, tags, filter, topK, order, now } = data;
  if (erased || query === undefined) throw notReplayable('the question was erased');
  const { threshold, relevanceThreshold, includeSuperseded } = data;
  // Earlier versions did not record the time of asking. A search of the past had none.
  const askedAt = now === undefined ? time : new Date(now);
  const lowest = relevanceThreshold === undefined ? threshold : scoreOf(relevanceThreshold);
  return {
    query,
    layers,
    scope: scope ?? {},
    spaces,
    tags,
    filter: filter && filterOfPast(filter),
    topK,
    order,
    threshold: lowest,
    includeSuperseded,
    ...((now !== undefined || data.decision?.reason !== 'as-of') && { now: askedAt }),
  };
}

function filterOfPast(filter: JsonObject): Filter {
  try {
    return parseFilter(filter, { isAsOf: true });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw notReplayable(`its filter cannot be applied to the past: ${error.message}`);
  }
}

function notReplayable(why: string): Problem {
  return new Problem('not-replayable', `the search cannot be run again: ${why}`);
}

/** The first event of each memory, by id. */
async function firstEvents(
  store: EventStore,
  tenant: string,
  ids: readonly string[],
): Promise<Map<string, LoadedEvent<MemoryEvent>>> {
  const events = new Map<string, LoadedEvent<MemoryEvent>>();
  for (let from = 0; from < ids.length; from += readAtOnce) {
    const some = ids.slice(from, from + readAtOnce);
    const loaded = await Promise.all(some.map((id) => store.loadOne(memoryStream(tenant, id), 0)));
    for (const [index, one] of loaded.entries())
      if (one) events.set(some[index]!, one as LoadedEvent<MemoryEvent>);
  }
  return events;
}

function placementOf(event: MemoryEvent): Placement[] {
  return event.type === 'MemoryStored' ? [event.data] : [];
}
