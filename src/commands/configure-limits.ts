import type { LimitsEvent } from '../domain/admission/events.ts';
import { noLimits, type Limits } from '../domain/admission/limits.ts';
import { limitsStream } from '../domain/streams.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import { changeStream } from './change-stream.ts';
import { callerKey, type CommandContext, type CommandResult, type CommandServices } from './context.ts';

export interface ConfiguredLimits extends CommandResult {
  readonly limits: Limits;
}

/** Replaces the limits of the caller's tenant. */
export async function configureLimits(
  services: CommandServices,
  context: CommandContext,
  limits: Limits,
): Promise<ConfiguredLimits> {
  const { history, position, replayed } = await changeStream<LimitsEvent>(services, context, {
    stream: limitsStream(context.caller.tenant),
    memoryId: '',
    decide: (loaded) =>
      JSON.stringify(limitsIn(loaded)) === JSON.stringify(limits)
        ? []
        : [{ type: 'LimitsConfigured', data: { limits } }],
    key: () => callerKey(services.vault, context.caller),
  });
  return { limits: limitsIn(history), position, replayed };
}

/** The limits that the latest event says. */
export function limitsIn(history: readonly Pick<LoadedEvent<LimitsEvent>, 'event'>[]): Limits {
  return history.at(-1)?.event.data.limits ?? noLimits;
}
