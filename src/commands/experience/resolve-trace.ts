import { canonicalJson } from '../../domain/json.ts';
import type { Outcome } from '../../domain/learning/logged-decision.ts';
import { outcomeOf, type OutcomeSignal } from '../../domain/learning/outcome.ts';
import { explicitlyUsed } from '../../domain/learning/used-results.ts';
import type { TraceEvent } from '../../domain/experience/events.ts';
import type { TraceOutcome } from '../../domain/experience/trace.ts';
import { traceStream } from '../../domain/streams.ts';
import { changeStream } from '../change-stream.ts';
import type { CommandContext, CommandServices } from '../context.ts';
import { signalsOf } from '../outcomes/search-signals.ts';

/** From this quality on, what was used made the search a success. */
const successFrom = 0.5;

/**
 * Gives the trace of a search the outcome that its signals add up to, and the memories that helped; it is pending again once feedback
 * was withdrawn that alone had said something. Does nothing for a search without a trace, and if all is as before. `searchId` is the id
 * without its signature.
 */
export async function resolveTrace(
  services: CommandServices,
  context: CommandContext,
  searchId: string,
): Promise<void> {
  const { tenant } = context.caller;
  const stream = traceStream(tenant, searchId);
  if ((await services.store.loadOne(stream, 0)) === undefined) return;
  const signals = await signalsOf(services.store, tenant, searchId);
  const outcome = traceOutcomeOf(outcomeOf(signals));
  const used = explicitlyUsed(signals) ?? inContext(signals);
  await changeStream<TraceEvent>(services, context, {
    stream,
    memoryId: '',
    decide: (loaded) => {
      const [first] = loaded;
      if (first?.event.type !== 'ReasoningTraceRecorded' || first.event.data.experience === undefined)
        return [];
      const { traceId, experience, memoryIds } = first.event.data;
      const last = loaded.findLast(({ event }) => event.type === 'ReasoningTraceResolved')?.event;
      const { outcome: before, helpfulIds: helpedBefore } =
        last?.type === 'ReasoningTraceResolved' ? last.data : { outcome: 'pending' as const, helpfulIds: [] };
      const day = first.time.toISOString().slice(0, 10);
      const helpfulIds = memoryIds.filter((id) => used.has(id));
      return before === outcome && canonicalJson(helpedBefore) === canonicalJson(helpfulIds)
        ? []
        : [
            {
              type: 'ReasoningTraceResolved',
              data: { traceId, outcome, before, helpfulIds, experience, day },
            },
          ];
    },
  });
}

/** The memories that were put into a context: they count as used until an explicit outcome says better. */
function inContext(signals: readonly OutcomeSignal[]): ReadonlySet<string> {
  return new Set(signals.flatMap(({ source, memoryIds }) => (source === 'context' ? memoryIds : [])));
}

function traceOutcomeOf({ kind, quality = 1 }: Outcome): TraceOutcome {
  switch (kind) {
    case 'used':
      return quality >= successFrom ? 'success' : 'partial_success';
    case 'refined':
    case 'ignored':
      return 'failure';
    case 'none':
      return 'pending';
    default:
      return kind satisfies never;
  }
}
