import type { Invalidation, SummaryEvent } from '../../domain/summaries/events.ts';
import type { SummaryScope } from '../../domain/summaries/summary-scope.ts';
import { changeStream } from '../change-stream.ts';
import type { CommandContext, CommandServices } from '../context.ts';
import { quotes } from './erase-summaries.ts';
import { summaryStreamOf } from './summary-stream.ts';

export interface ChangedSource {
  readonly memoryId: string;
  readonly reason: Exclude<Invalidation, 'erased'>;
  /** Position of the change. */
  readonly position: number;
}

/**
 * Records that the latest summaries of a scope quote a memory which has changed since they were made, once for each causing event
 * (`context.causationId`).
 */
export async function invalidateSummary(
  services: CommandServices,
  context: CommandContext,
  summarized: SummaryScope,
  { memoryId, reason, position }: ChangedSource,
): Promise<void> {
  await changeStream<SummaryEvent>(services, context, {
    stream: summaryStreamOf(services.vault, context.caller.tenant, summarized),
    memoryId,
    decide: (loaded) => {
      const latest = new Map(
        loaded.flatMap(({ event }) =>
          event.type === 'SummaryGenerated' ? [[JSON.stringify(event.data.person), event] as const] : [],
        ),
      );
      const isRecorded = loaded.some(
        ({ event, metadata }) =>
          event.type === 'SummaryInvalidated' && metadata.causationId === context.causationId,
      );
      const isQuoted = [...latest.values()].some(
        (event) => event.data.readPosition < position && quotes(event, memoryId),
      );
      return isQuoted && !isRecorded
        ? [{ type: 'SummaryInvalidated', data: { ...summarized, reason, memoryId } }]
        : [];
    },
  });
}
