import { inTenant, type CommandContext, type CommandServices } from '../commands/context.ts';
import { eraseBeside } from '../commands/erase-memory.ts';
import { finishErasure } from '../commands/documents/change-document.ts';
import { recordMemoryErasure } from '../commands/erasure/request-erasure.ts';
import { destroyTargetKeys } from '../commands/erasure/target-keys.ts';
import { eraseWithSources } from '../commands/summaries/record-summary.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import type { Reactor } from '../follow/reactor.ts';

/**
 * Completes every erasure in the log: destroys the keys, those of whole subjects and tenants too, and releases the externalId. It does so
 * even if the process that erased was killed in between, or if the vault was restored from an older backup. Steps that were done before
 * are not repeated. A summary that quotes a memory, and was made while that was erased, is erased as soon as it is in the log.
 */
export function erasureReactor(services: CommandServices, context: CommandContext): Reactor {
  return {
    name: 'erasures',
    handles: [
      'MemoryErased',
      'ErasureRequested',
      'SummaryGenerated',
      'ReasoningTraceErased',
      'LessonRevised',
      'LessonForgotten',
      'DocumentErased',
      'DocumentTextErased',
    ],
    // It runs before any key is opened, and needs no texts.
    routingOnly: true,
    // No caller waits for it: the command that erases completes its erasure itself.
    lingerMs: 1_000,
    async handle(events) {
      await destroyKeys(services, events);
      for (let from = 0; from < events.length; from += atOnce)
        await Promise.all(
          events.slice(from, from + atOnce).map((loaded) => complete(services, context, loaded)),
        );
    },
  };
}

/** Events that may wait for each other in the log at once. */
const atOnce = 16;

/** Destroys the keys of all memories that the events erase, in one write for each tenant. */
async function destroyKeys({ vault }: CommandServices, events: readonly LoadedEvent[]): Promise<void> {
  const keys = new Map<string, string[]>();
  for (const { event, metadata } of events)
    if (event.type === 'MemoryErased')
      keys.set(metadata.tenant, [...(keys.get(metadata.tenant) ?? []), event.data.keyId]);
  for (const [tenant, ids] of keys) await vault.destroy(tenant, ...ids);
}

async function complete(
  services: CommandServices,
  context: CommandContext,
  { event, metadata, stream, revision }: LoadedEvent,
): Promise<void> {
  const { store, vault } = services;
  const { tenant } = metadata;
  const own = inTenant(context, tenant);
  switch (event.type) {
    case 'MemoryErased':
      await eraseBeside(services, own, event.data);
      // What the program erases by itself is part of the receipt that it is for.
      if (metadata.cause !== 'system') await recordMemoryErasure(services, own, event.data.memoryId);
      return;
    case 'DocumentErased':
      return finishErasure(services, { ...own, cause: metadata.cause }, [{ event }]);
    case 'DocumentTextErased':
      return vault.destroy(tenant, ...event.data.keyIds);
    case 'ErasureRequested':
      return destroyTargetKeys(vault, tenant, event.data);
    case 'SummaryGenerated':
      return eraseWithSources(services, own, event.data);
    case 'ReasoningTraceErased':
    case 'LessonForgotten':
      return vault.destroy(tenant, event.data.keyId);
    case 'LessonRevised': {
      const before = await store.log.readStream(stream, { from: revision - 1, limit: 1 });
      const [replaced] = (await store.open(before, { routingOnly: true })).events;
      if (replaced?.metadata.keyId !== undefined) await vault.destroy(tenant, replaced.metadata.keyId);
      return;
    }
    default:
  }
}
