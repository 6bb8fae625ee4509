import type { TraceEvent } from '../../domain/experience/events.ts';
import { traceStream } from '../../domain/streams.ts';
import { changeStream } from '../change-stream.ts';
import type { CommandContext, CommandServices } from '../context.ts';

/** Records that a trace is erased with a memory that it names, and destroys its key. Idempotent. */
export async function eraseTrace(
  services: CommandServices,
  context: CommandContext,
  { traceId, memoryId }: { readonly traceId: string; readonly memoryId: string },
): Promise<void> {
  const { tenant } = context.caller;
  const { history } = await changeStream<TraceEvent>(services, context, {
    stream: traceStream(tenant, traceId),
    memoryId,
    decide: (loaded) => {
      const keyId = loaded[0]?.metadata.keyId;
      return keyId === undefined || loaded.some(({ event }) => event.type === 'ReasoningTraceErased')
        ? []
        : [{ type: 'ReasoningTraceErased', data: { traceId, keyId, memoryId } }];
    },
  });
  for (const { event } of history)
    if (event.type === 'ReasoningTraceErased') await services.vault.destroy(tenant, event.data.keyId);
}
