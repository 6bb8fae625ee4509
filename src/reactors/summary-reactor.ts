import { causedBy, type CommandContext } from '../commands/context.ts';
import { groupBy } from '../domain/group-by.ts';
import type { Reactor } from '../follow/reactor.ts';
import { generateSummaries, type Generation, type GeneratorParts } from './summary-generator.ts';

/** Generates the summaries that callers ask for, and those that contexts need. */
export function summaryReactor(parts: GeneratorParts, context: CommandContext): Reactor {
  return {
    name: 'summary-requests',
    handles: ['SummaryRequested'],
    async handle(events, { signal }) {
      const generations = events.flatMap((loaded): Generation[] => {
        const { event, metadata, position } = loaded;
        if (event.type !== 'SummaryRequested') return [];
        const { traceId } = metadata;
        const { layer, scope, person, depths } = event.data;
        const own = { ...causedBy(context, loaded), ...(traceId !== undefined && { traceId }) };
        const trigger = metadata.cause === 'system' ? ('context' as const) : ('refresh' as const);
        return [{ context: own, summarized: { layer, scope, person }, depths, trigger, position }];
      });
      const byTenant = [...groupBy(generations, ({ context: { caller } }) => caller.tenant).values()];
      // The endpoint of one tenant's model may be slow.
      const outcomes = await Promise.all(byTenant.map((own) => generateSummaries(parts, own, signal)));
      for (const outcome of outcomes.flat()) if (typeof outcome === 'object') throw outcome.error;
    },
  };
}
