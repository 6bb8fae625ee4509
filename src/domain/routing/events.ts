import { z } from 'zod';
import { defineEvent, type EventOf } from '../events/define.ts';
import { defaultReasoning, reasoningSettingsSchema } from '../reasoning/settings.ts';
import { budgetsSchema, routingSettingsSchema } from './settings.ts';

/** A tenant's routing settings from now on: all of them, not only those that changed. */
export const RoutingConfigured = defineEvent({
  type: 'RoutingConfigured',
  category: 'policy',
  version: 3,
  routing: z.object({
    ...routingSettingsSchema.shape,
    budgets: z.object(budgetsSchema.shape),
    reasoning: z.object(reasoningSettingsSchema.shape),
  }),
  sealed: z.object({}),
  // Older versions lack these settings, so they get today's defaults.
  upcasters: {
    1: (data) => ({ ...data, languageModel: true, reasoning: defaultReasoning }),
    2: (data) => ({ ...data, exploration: true }),
  },
});

/** While the kill switch is engaged, every question of every tenant takes the standard route. */
export const KillSwitchSet = defineEvent({
  type: 'KillSwitchSet',
  category: 'policy',
  version: 1,
  routing: z.object({ engaged: z.boolean() }),
  sealed: z.object({}),
});

export type PolicyEvent = EventOf<typeof RoutingConfigured> | EventOf<typeof KillSwitchSet>;
