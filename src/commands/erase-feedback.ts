import type { MemoryEvent } from '../domain/memory/events.ts';
import type { FeedbackEvent } from '../domain/retrieval/events.ts';
import { feedbackStream, memoryStream } from '../domain/streams.ts';
import { unknownMemory } from './change-memory.ts';
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

/**
 * Called after feedback was recorded. If the memory was erased meanwhile, its erasure may have missed this feedback: erases the
 * feedback and throws `not-found`.
 */
export async function assertStillThere(
  services: CommandServices,
  context: CommandContext,
  memoryId: string,
): Promise<void> {
  const loaded = await services.store.load<MemoryEvent>(memoryStream(context.caller.tenant, memoryId));
  if (loaded.at(-1)?.event.type !== 'MemoryErased') return;
  await eraseFeedback(services, context, memoryId);
  throw unknownMemory();
}
