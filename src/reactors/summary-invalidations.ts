import { causedBy, type CommandContext, type CommandServices } from '../commands/context.ts';
import { invalidateSummary } from '../commands/summaries/invalidate-summary.ts';
import type { Reactor } from '../follow/reactor.ts';
import type { MemoryEvent } from '../domain/memory/events.ts';
import { isWithheld } from '../domain/trust/trust.ts';
import { memoryStream } from '../domain/streams.ts';
import type { SummaryEvent, SummaryPolicyEvent } from '../domain/summaries/events.ts';
import { summaryIdOf, summaryScopeOf } from '../domain/summaries/summary-scope.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import { scheduleEvents, type ScheduleKey } from '../read-models/summary-schedule.ts';

type Followed = LoadedEvent<MemoryEvent | SummaryEvent | SummaryPolicyEvent>;

export interface InvalidationParts {
  readonly services: CommandServices;
  /** Those of the scopes that have summaries, when the schedule has applied the log up to `minPosition`. */
  readonly summarized: (keys: readonly ScheduleKey[], minPosition: number) => Promise<readonly ScheduleKey[]>;
}

/**
 * Records at once that a memory which summaries quote was deleted or replaced. The other events of the schedule only wake what waits for
 * it.
 */
export function summaryInvalidations(
  { services, summarized }: InvalidationParts,
  context: CommandContext,
): Reactor {
  return {
    name: 'summary-invalidations',
    handles: scheduleEvents,
    routingOnly: true,
    // A change is due two seconds later at the earliest.
    lingerMs: 500,
    async handle(events) {
      const followed = events as readonly Followed[];
      const changes = await changesIn(services, followed);
      const keys = await summarized(
        changes.map(({ key }) => key),
        followed.at(-1)!.position,
      );
      const known = new Set(keys.map(nameOf));
      for (const { key, scope, loaded, source } of changes)
        if (known.has(nameOf(key)))
          await invalidateSummary(services, causedBy(context, loaded), scope, source);
    },
  };
}

const nameOf = ({ tenant, summary }: ScheduleKey): string => `${tenant}/${summary}`;

/** The events that delete a memory or replace its content, with the scope whose summaries may quote it. */
async function changesIn({ store, vault }: CommandServices, events: readonly Followed[]) {
  const changes = [];
  for (const loaded of events) {
    const { event, metadata, position } = loaded;
    const isReplaced = event.type === 'MemoryUpdated' && event.data.contentLength !== undefined;
    const isGone = event.type === 'MemoryDeleted' || event.type === 'MemoryArchived';
    const isWithdrawn =
      (event.type === 'MemoryReviewed' || event.type === 'MemoryUpdated') && isWithheld(event.data);
    if (!isReplaced && !isWithdrawn && !isGone) continue;
    const { tenant } = metadata;
    const { memoryId } = event.data;
    const first = (await store.loadOne(memoryStream(tenant, memoryId), 0, { routingOnly: true }))?.event;
    if (first?.type !== 'MemoryStored') continue;
    const scope = summaryScopeOf(first.data);
    const reason = isReplaced && !isWithdrawn ? ('replaced' as const) : ('deleted' as const);
    changes.push({
      key: { tenant, summary: summaryIdOf(vault, tenant, scope) },
      scope,
      loaded,
      source: { memoryId, reason, position },
    });
  }
  return changes;
}
