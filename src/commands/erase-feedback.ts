import type { FeedbackEvent } from '../domain/retrieval/events.ts';
import { feedbackStream } from '../domain/streams.ts';
import { changeStream } from './change-stream.ts';
import type { CommandContext, CommandServices } from './context.ts';

/** Records that the feedback on an erased memory is erased with it, if there is any. Idempotent. */
export async function eraseFeedback(
  services: CommandServices,
  context: CommandContext,
  memoryId: string,
): Promise<void> {
  const { idempotency: _, reason: __, ...own } = context;
  await changeStream<FeedbackEvent>(services, own, {
    stream: feedbackStream(context.caller.tenant, memoryId),
    memoryId,
    decide: (loaded) => {
      const last = loaded.at(-1)?.event.type;
      return last === undefined || last === 'FeedbackErased'
        ? []
        : [{ type: 'FeedbackErased', data: { memoryId } }];
    },
  });
}
