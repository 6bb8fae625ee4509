import type { z } from 'zod';
import { reasoningSettingsSchema } from '../domain/reasoning/settings.ts';
import type { PolicyEvent } from '../domain/routing/events.ts';
import {
  budgetsSchema,
  defaultSettings,
  routingSettingsSchema,
  type RoutingSettings,
} from '../domain/routing/settings.ts';
import { killSwitchStream, routingStream } from '../domain/streams.ts';
import type { EventStore } from '../ports/event-store.ts';
import { changeStream } from './change-stream.ts';
import { callerKey, type CommandContext, type CommandResult, type CommandServices } from './context.ts';

/** Fields that are left out stay as they are. */
export const routingChange = routingSettingsSchema
  .extend({ budgets: budgetsSchema.partial(), reasoning: reasoningSettingsSchema.partial() })
  .partial()
  .meta({
    id: 'RoutingChange',
    description: 'The settings to change; fields that are left out stay as they are',
  });

export interface ConfiguredRouting extends CommandResult {
  readonly settings: RoutingSettings;
}

/** Changes how the questions of the caller's tenant are routed. */
export async function configureRouting(
  services: CommandServices,
  context: CommandContext,
  change: z.infer<typeof routingChange>,
): Promise<ConfiguredRouting> {
  const { tenant } = context.caller;
  const { history, position, replayed } = await changeStream<PolicyEvent>(services, context, {
    stream: routingStream(tenant),
    memoryId: '',
    decide: (loaded) => {
      const before = settingsOf(loaded);
      const { budgets, reasoning, ...rest } = withoutUndefined(change);
      const after = {
        ...before,
        ...rest,
        budgets: { ...before.budgets, ...withoutUndefined(budgets ?? {}) },
        reasoning: { ...before.reasoning, ...withoutUndefined(reasoning ?? {}) },
      };
      const same = JSON.stringify(after) === JSON.stringify(before);
      return same ? [] : [{ type: 'RoutingConfigured', data: after }];
    },
    key: () => callerKey(services.vault, context.caller),
  });
  return { settings: settingsOf(history), position, replayed };
}

/** Engages or releases the kill switch, which all tenants share. */
export async function setKillSwitch(
  services: CommandServices,
  context: CommandContext,
  engaged: boolean,
): Promise<CommandResult> {
  return changeStream<PolicyEvent>(services, context, {
    stream: killSwitchStream,
    memoryId: '',
    decide: (loaded) => {
      const last = loaded.at(-1)?.event;
      const before = last?.type === 'KillSwitchSet' && last.data.engaged;
      return before === engaged ? [] : [{ type: 'KillSwitchSet', data: { engaged } }];
    },
    key: () => callerKey(services.vault, context.caller),
  });
}

/** The settings of a tenant, as they are in the log now. */
export async function readRoutingSettings(store: EventStore, tenant: string): Promise<RoutingSettings> {
  return settingsOf(await store.load<PolicyEvent>(routingStream(tenant)));
}

/** The latest settings of a tenant. */
function settingsOf(history: readonly { readonly event: PolicyEvent }[]): RoutingSettings {
  const last = history.at(-1)?.event;
  return last?.type === 'RoutingConfigured' ? last.data : defaultSettings;
}

function withoutUndefined<Value extends object>(
  value: Value,
): { [Key in keyof Value]: NonNullable<Value[Key]> } {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as {
    [Key in keyof Value]: NonNullable<Value[Key]>;
  };
}
