import type { MemoryEvent } from '../../domain/memory/events.ts';
import { memoryStream } from '../../domain/streams.ts';
import type { SummaryEvent } from '../../domain/summaries/events.ts';
import { WrongExpectedRevision } from '../../ports/event-log.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { eventContext, type CommandContext, type CommandServices } from '../context.ts';
import { eraseSummaries } from './erase-summaries.ts';
import { summaryStreamOf } from './summary-stream.ts';

type Generated = Extract<SummaryEvent, { type: 'SummaryGenerated' }>;

/**
 * Records new summaries, once for each event that caused them (`context.causationId`). The key belongs to the user of a
 * variant or of the scope, or to the tenant. If a quoted memory was erased since it was read, erases the new summaries at once.
 */
export async function recordSummary(
  services: CommandServices,
  context: CommandContext,
  data: Generated['data'],
): Promise<void> {
  const { store, vault, newId } = services;
  const { tenant } = context.caller;
  const stream = summaryStreamOf(vault, tenant, data);
  for (;;) {
    const loaded = await store.load<SummaryEvent>(stream);
    if (wasGenerated(loaded, context.causationId)) return;
    const key = {
      tenant,
      id: `summary.${newId()}`,
      subject: vault.pseudonym('subject', tenant, data.person?.user ?? data.scope.user ?? tenant),
    };
    try {
      const event: Generated = { type: 'SummaryGenerated', data };
      await store.append(stream, loaded.at(-1)?.revision ?? 'noStream', [event], {
        ...eventContext(context, key),
        keyIsNew: true,
      });
      break;
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
    }
  }
  await eraseWithSources(services, context, data);
}

/** Whether an event has caused summaries already. */
export function wasGenerated(
  loaded: readonly LoadedEvent<SummaryEvent>[],
  causationId: string | undefined,
): boolean {
  return loaded.some(
    ({ event, metadata }) => event.type === 'SummaryGenerated' && metadata.causationId === causationId,
  );
}

/** Erases the summaries of the scope that quote a memory which is erased. Idempotent. */
export async function eraseWithSources(
  services: CommandServices,
  context: CommandContext,
  { summaries, shown = [] }: Pick<Generated['data'], 'summaries' | 'shown'>,
): Promise<void> {
  const ids = new Set([...shown, ...summaries.flatMap(({ sources }) => sources.map(({ id }) => id))]);
  for (const id of ids) {
    const loaded = await services.store.load<MemoryEvent>(memoryStream(context.caller.tenant, id));
    if (loaded.at(-1)?.event.type === 'MemoryErased') await eraseSummaries(services, context, id, loaded);
  }
}
