import type { CommandContext } from '../commands/context.ts';
import type { ProcessManager } from '../processors/process-manager.ts';
import { generateSummary, type GeneratorParts } from './summary-generator.ts';

/** Generates the summaries that callers ask for, and those that contexts need. */
export function summaryManager(parts: GeneratorParts, context: CommandContext): ProcessManager {
  return {
    name: 'summaries',
    handles: ['SummaryRequested'],
    async handle(events) {
      for (const { id, event, metadata, position } of events) {
        if (event.type !== 'SummaryRequested') continue;
        const { tenant, correlationId, traceId } = metadata;
        const { layer, scope, depths } = event.data;
        const own = {
          ...context,
          caller: { ...context.caller, tenant },
          correlationId,
          causationId: id,
          ...(traceId !== undefined && { traceId }),
        };
        await generateSummary(parts, own, {
          summarized: { layer, scope },
          depths,
          trigger: metadata.cause === 'system' ? 'context' : 'refresh',
          position,
        });
      }
    },
  };
}
