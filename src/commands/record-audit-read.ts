import type { JsonObject } from '../domain/json.ts';
import type { RetrievalEvent } from '../domain/retrieval/events.ts';
import { retrievalStream } from '../domain/streams.ts';
import { callerKey, eventContext, type CommandContext, type CommandServices } from './context.ts';

/**
 * Writes down what an auditor, or another one with such rights, looks at: not what is there. Done before the answer goes
 * out, so such a look is never lost.
 */
export async function recordAuditRead(
  services: CommandServices,
  context: CommandContext,
  look: { what: string; memoryId?: string; items: number; parameters?: JsonObject },
): Promise<void> {
  const { store, vault, newId } = services;
  const event: Extract<RetrievalEvent, { type: 'AuditRead' }> = { type: 'AuditRead', data: look };
  await store.append(
    retrievalStream(context.caller.tenant, newId()),
    'noStream',
    [event],
    eventContext(context, callerKey(vault, context.caller)),
  );
}
