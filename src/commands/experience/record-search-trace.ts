import type { TenantContext } from '../../domain/access/context.ts';
import { hasRole } from '../../domain/access/context.ts';
import type { Placement } from '../../domain/access/visibility.ts';
import type { RecordedTrace, TraceEvent } from '../../domain/experience/events.ts';
import { traceStream } from '../../domain/streams.ts';
import { eventContext, type CommandContext, type CommandServices } from '../context.ts';
import { takesTraces } from '../spaces/reasoning-spaces.ts';

export type SearchTrace = Omit<RecordedTrace, 'layer' | 'scope' | 'outcome' | 'origin'>;

/**
 * Where the trace of a search belongs: to the user who asked. What a caller without a user asks is not shown to others: it belongs to
 * its agent, or to the credential as if that were one.
 */
export function placeSearchTrace(caller: TenantContext): Placement {
  const { user, agent, principal } = caller;
  if (user !== undefined) return { layer: 'user', scope: { user } };
  const named = hasRole(caller, 'agent') && agent !== undefined ? agent : principal;
  return { layer: 'agent', scope: { agent: named } };
}

/** Records a search with experience, unless it was about a space that takes no traces. Its outcome is pending until somebody says what became of the answer. */
export async function recordSearchTrace(
  services: CommandServices,
  context: CommandContext,
  trace: SearchTrace,
): Promise<void> {
  const { store, vault, newId } = services;
  const { tenant, user } = context.caller;
  if (trace.space !== undefined && !(await takesTraces(services, tenant, trace.space))) return;
  const event: TraceEvent = {
    type: 'ReasoningTraceRecorded',
    data: { ...trace, ...placeSearchTrace(context.caller), outcome: 'pending', origin: 'search' },
  };
  const subject = vault.pseudonym('subject', tenant, user ?? tenant);
  await store.append(traceStream(tenant, trace.traceId), 'noStream', [event], {
    ...eventContext(context, { tenant, id: `trace.${newId()}`, subject }),
    keyIsNew: true,
  });
}
