import type { JsonObject } from '../domain/json.ts';
import type { RetrievalEvent } from '../domain/retrieval/events.ts';
import { retrievalStream } from '../domain/streams.ts';
import { callerKey, eventContext, type CommandContext, type CommandServices } from './context.ts';

/**
 * Records that an auditor, or another caller with such rights, read something, without the content. Done before the answer
 * is sent, so that no read is lost.
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
