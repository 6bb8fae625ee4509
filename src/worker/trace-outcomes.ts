import type { CommandContext, CommandServices } from '../commands/context.ts';
import { resolveTrace } from '../commands/experience/resolve-trace.ts';
import type { ProcessManager } from '../processors/process-manager.ts';

/** Tells the traces of searches with experience what became of their answers. */
export function traceOutcomes(services: CommandServices, context: CommandContext): ProcessManager {
  return {
    name: 'trace-outcomes',
    handles: ['OutcomeObserved'],
    async handle(events) {
      for (const { id, stream, metadata } of events) {
        const { tenant, correlationId } = metadata;
        const own = {
          ...context,
          caller: { ...context.caller, tenant },
          correlationId,
          causationId: id,
        };
        await resolveTrace(services, own, stream.slice(stream.indexOf('.') + 1));
      }
    },
  };
}
