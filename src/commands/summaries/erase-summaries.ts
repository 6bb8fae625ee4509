import type { MemoryEvent } from '../../domain/memory/events.ts';
import { memoryStream } from '../../domain/streams.ts';
import type { SummaryEvent } from '../../domain/summaries/events.ts';
import { summaryScopeOf } from '../../domain/summaries/summary-scope.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { changeStream } from '../change-stream.ts';
import type { CommandContext, CommandServices } from '../context.ts';
import { summaryStreamOf } from './summary-stream.ts';

/** Destroys the keys of all current and earlier summaries that quote an erased memory, and records that. Idempotent. */
export async function eraseSummaries(
  services: CommandServices,
  context: CommandContext,
  memoryId: string,
  known?: readonly LoadedEvent<MemoryEvent>[],
): Promise<void> {
  const { store, vault } = services;
  const { tenant } = context.caller;
  const first = known?.[0] ?? (await store.loadOne(memoryStream(tenant, memoryId), 0, { routingOnly: true }));
  if (first?.event.type !== 'MemoryStored') return;
  const summarized = summaryScopeOf(first.event.data);
  const stream = summaryStreamOf(vault, tenant, summarized);
  const { events, unreadable } = await store.open(await store.log.readStream(stream), { routingOnly: true });
  if (unreadable[0]) throw unreadable[0].error;
  const quoting = (events as readonly LoadedEvent<SummaryEvent>[]).filter(({ event }) =>
    quotes(event, memoryId),
  );
  if (quoting.length === 0) return;
  await vault.destroy(tenant, ...quoting.map(({ metadata }) => metadata.keyId!));
  const { idempotency: _, reason: __, ...own } = context;
  await changeStream<SummaryEvent>(services, own, {
    stream,
    memoryId,
    decide: (loaded) => {
      const last = loaded.findLastIndex(({ event }) => quotes(event, memoryId));
      const isRecorded = loaded
        .slice(last)
        .some(
          ({ event: { type, data } }) =>
            type === 'SummaryInvalidated' && data.reason === 'erased' && data.memoryId === memoryId,
        );
      return isRecorded
        ? []
        : [{ type: 'SummaryInvalidated', data: { ...summarized, reason: 'erased', memoryId } }];
    },
  });
}

/** Whether the event is a generation of summaries that quote the memory, or whose writer was shown it. */
export function quotes(event: SummaryEvent, memoryId: string): boolean {
  return (
    event.type === 'SummaryGenerated' &&
    (event.data.shown?.includes(memoryId) === true ||
      event.data.summaries.some(({ sources }) => sources.some(({ id }) => id === memoryId)))
  );
}
