import { causedBy, type CommandContext, type CommandServices } from '../commands/context.ts';
import { resolveTrace } from '../commands/experience/resolve-trace.ts';
import type { ProcessManager } from '../processors/process-manager.ts';

/**
 * Gives the traces of searches with experience their outcomes. An outcome that was posted before its search was recorded is not checked
 * yet; when it is, `UseObserved` follows.
 */
export function traceOutcomes(services: CommandServices, context: CommandContext): ProcessManager {
  return {
    name: 'trace-outcomes',
    handles: ['OutcomeObserved', 'UseObserved'],
    async handle(events) {
      for (const loaded of events) {
        const { stream } = loaded;
        await resolveTrace(services, causedBy(context, loaded), stream.slice(stream.indexOf('.') + 1));
      }
    },
  };
}
