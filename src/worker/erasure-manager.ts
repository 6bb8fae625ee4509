import type { CommandContext, CommandServices } from '../commands/context.ts';
import { completeErasure } from '../commands/erase-memory.ts';
import { eraseWithSources } from '../commands/summaries/record-summary.ts';
import type { ProcessManager } from '../processors/process-manager.ts';

/**
 * Completes every erasure in the log: destroys the keys and releases the externalId, even if the process that erased was killed
 * in between, or if the vault was restored from an older backup. All steps do nothing if they were done before. A summary that
 * was made while a memory that it quotes was erased is erased as soon as it is in the log.
 */
export function erasureManager(services: CommandServices, context: CommandContext): ProcessManager {
  return {
    name: 'erasures',
    handles: ['MemoryErased', 'SummaryGenerated', 'ReasoningTraceErased'],
    // No caller waits for it: the command that erases completes its erasure itself.
    lingerMs: 1_000,
    async handle(events) {
      for (const { event, metadata } of events) {
        const { tenant } = metadata;
        const inTenant = { ...context, caller: { ...context.caller, tenant } };
        if (event.type === 'SummaryGenerated') await eraseWithSources(services, inTenant, event.data);
        if (event.type === 'ReasoningTraceErased') await services.vault.destroy(tenant, event.data.keyId);
        if (event.type !== 'MemoryErased') continue;
        await completeErasure(services, inTenant, { tenant, ...event.data });
      }
    },
  };
}
