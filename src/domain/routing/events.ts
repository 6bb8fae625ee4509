import { z } from 'zod';
import { defineEvent, type EventOf } from '../events/define.ts';
import { defaultReasoning, reasoningSettingsSchema } from '../reasoning/settings.ts';
import { budgetsSchema, routingSettingsSchema } from './settings.ts';

/** A tenant's routing from now on: all of it, not what changed. */
export const RoutingConfigured = defineEvent({
  type: 'RoutingConfigured',
  category: 'policy',
  version: 2,
  routing: z.object({
    ...routingSettingsSchema.shape,
    budgets: z.object(budgetsSchema.shape),
    reasoning: z.object(reasoningSettingsSchema.shape),
  }),
  sealed: z.object({}),
  // What is the default now.
  upcasters: { 1: (data) => ({ ...data, languageModel: true, reasoning: defaultReasoning }) },
});

/** Engaged, every question of every tenant takes the standard route. */
export const KillSwitchSet = defineEvent({
  type: 'KillSwitchSet',
  category: 'policy',
  version: 1,
  routing: z.object({ engaged: z.boolean() }),
  sealed: z.object({}),
});

export type PolicyEvent = EventOf<typeof RoutingConfigured> | EventOf<typeof KillSwitchSet>;
