import type { TenantContext } from '../../domain/access/context.ts';
import type { Placement } from '../../domain/access/visibility.ts';
import { parseFilter, type Filter } from '../../domain/filter.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { MemoryEvent } from '../../domain/memory/events.ts';
import { Problem } from '../../domain/problems.ts';
import { scoreOf } from '../../domain/ranking/score-scale.ts';
import { memoryStream } from '../../domain/streams.ts';
import type { EventStore, LoadedEvent } from '../../ports/event-store.ts';
import type { AuditedSearch } from '../audit-search.ts';
import type { RoutedRequest } from '../routing/routed-search.ts';
import type { Asked } from '../search/answer.ts';
import type { TenantDirectory } from '../tenant-directory.ts';
import { recordedCaller, type RecordedCaller } from './recorded-caller.ts';

/** How many events are read at once. */
const readAtOnce = 100;

/** A recorded search as it is asked again. */
export interface RecordedQuestion extends RecordedCaller {
  readonly caller: TenantContext;
  readonly asked: Asked;
  readonly options: RoutedRequest;
  /** The first events of the memories of the recorded answer, by id. */
  readonly first: ReadonlyMap<string, LoadedEvent<MemoryEvent>>;
}

/**
 * The question of a recorded search, in the name of its caller. Throws `not-replayable` if it is erased or cannot be asked about the
 * past.
 */
export async function recordedQuestion(
  { store, directory }: { readonly store: EventStore; readonly directory: TenantDirectory },
  { performed, context }: AuditedSearch,
): Promise<RecordedQuestion> {
  const { tenant } = performed.metadata;
  const { results } = performed.event.data;
  const asked = askedAgain(performed);
  const first = await firstEvents(
    store,
    tenant,
    results.map(({ memoryId }) => memoryId),
  );
  const seen = [...first.values()].flatMap(({ event }) => placementOf(event));
  const known = await recordedCaller(directory, tenant, performed.metadata, seen);
  // A context is not cut off where the best is far ahead.
  return { ...known, asked, options: { asksForStandard: true, keepsDistant: context !== undefined }, first };
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
export async function firstEvents(
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
