import type { CommandContext, CommandServices } from '../commands/context.ts';
import { completeErasure } from '../commands/erase-memory.ts';
import type { ProcessManager } from '../processors/process-manager.ts';

/**
 * Completes every erasure in the log: destroys the key and releases the externalId, even if the process that erased was killed
 * in between, or if the vault was restored from an older backup. Both steps do nothing if they were done before.
 */
export function erasureManager(services: CommandServices, context: CommandContext): ProcessManager {
  return {
    name: 'erasures',
    handles: ['MemoryErased'],
    // No caller waits for it: the command that erases completes its erasure itself.
    lingerMs: 1_000,
    async handle(events) {
      for (const { event, metadata } of events) {
        if (event.type !== 'MemoryErased') continue;
        const { tenant } = metadata;
        const inTenant = { ...context, caller: { ...context.caller, tenant } };
        await completeErasure(services, inTenant, { tenant, ...event.data });
      }
    },
  };
}
