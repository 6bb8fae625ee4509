import { createHash } from 'node:crypto';
import { z } from 'zod';
import { defaultReasoning, reasoningSettingsSchema } from '../reasoning/settings.ts';
import { fold } from '../text/tokens.ts';

/** Limits of one run of the executor. When one is used up, the run answers with its best results so far. */
export const budgetsSchema = z
  .strictObject({
    wallMs: z
      .int()
      .min(10)
      .max(60_000)
      .meta({ description: 'Maximum time from the question to the answer, in milliseconds. Default: 5,000' }),
    queries: z
      .int()
      .min(1)
      .max(200)
      .meta({ description: 'Maximum number of searches of the read models. Default: 24' }),
    steps: z.int().min(1).max(500).meta({
      description: 'Maximum number of actions, such as searching or splitting a question. Default: 60',
    }),
    tokens: z.int().min(1).max(1_000_000).meta({
      description:
        'Maximum number of tokens in search texts, estimated at four characters each, and in calls of the language model, which may use half. Default: 20,000',
    }),
    depth: z.int().min(0).max(8).meta({
      description:
        'Maximum number of times that a part of a question is split again; 0 splits only the question itself. Default: 3',
    }),
  })
  .meta({ id: 'RoutingBudgets' });

export type Budgets = z.infer<typeof budgetsSchema>;

/** How a tenant's questions are routed. */
export const routingSettingsSchema = z.strictObject({
  enabled: z.boolean().meta({
    description:
      'Whether complex questions are decomposed; if false, every question takes the standard route. Default: true',
  }),
  threshold: z
    .number()
    .min(0)
    .max(1)
    .meta({ description: 'Complexity score from which a question counts as complex, 0 to 1. Default: 0.3' }),
  share: z
    .number()
    .min(0)
    .max(1)
    .meta({ description: 'Share of the complex questions that are decomposed, 0 to 1. Default: 1' }),
  shadow: z.boolean().meta({
    description:
      'Whether complex questions are decomposed only for comparison, while callers receive the results of the standard search. Default: false',
  }),
  exploration: z.boolean().meta({
    description:
      'Whether some questions take the other route, to learn from their outcomes which one is better. Only where an outcome can be observed: in sessions, and for callers that post outcomes. Default: true',
  }),
  languageModel: z.boolean().meta({
    description:
      'Whether the language model, if one is configured, proposes how to split questions and what to search for, and writes lessons. Default: true',
  }),
  budgets: budgetsSchema,
  reasoning: reasoningSettingsSchema,
});

export type RoutingSettings = z.infer<typeof routingSettingsSchema>;

export const defaultSettings: RoutingSettings = {
  enabled: true,
  threshold: 0.3,
  share: 1,
  shadow: false,
  exploration: true,
  languageModel: true,
  budgets: { wallMs: 5_000, queries: 24, steps: 60, tokens: 20_000, depth: 3 },
  reasoning: defaultReasoning,
};

export const routes = ['standard', 'decomposition'] as const;
export type Route = (typeof routes)[number];

/**
 * Why a question took its route. `learned`: the policy chose a different route than the rule. `explored`: the route was tried on this
 * question to learn from the outcome.
 */
export const routeReasons = [
  'complex',
  'below-threshold',
  'asked-for-standard',
  'as-of',
  'switched-off',
  'kill-switch',
  'disabled',
  'not-in-share',
  'shadow',
  'learned',
  'explored',
] as const;
export type RouteReason = (typeof routeReasons)[number];

export interface RoutingCircumstances {
  readonly tenant: string;
  readonly question: string;
  readonly settings: RoutingSettings;
  /** The caller forces the standard route. */
  readonly asksForStandard: boolean;
  /** The caller asks for an earlier state. Such a search reads every version in its region, so only one is run. */
  readonly asksAsOf: boolean;
  /** The configuration of the process switches routing off. */
  readonly switchedOff: boolean;
  readonly killed: boolean;
}

/** The first reason that forces the standard route for every question; undefined if there is a choice. */
export function forcedReason(
  circumstances: Pick<
    RoutingCircumstances,
    'settings' | 'asksForStandard' | 'asksAsOf' | 'switchedOff' | 'killed'
  >,
): RouteReason | undefined {
  const { settings, asksForStandard, asksAsOf, switchedOff, killed } = circumstances;
  if (asksForStandard) return 'asked-for-standard';
  if (asksAsOf) return 'as-of';
  if (switchedOff) return 'switched-off';
  if (killed) return 'kill-switch';
  return settings.enabled ? undefined : 'disabled';
}

/**
 * Whether a question is in the share that is routed. The result is always the same for a question, and a question in the share stays
 * in it when the share grows.
 */
export function isInShare(tenant: string, question: string, share: number): boolean {
  const words = fold(question).replaceAll(/\s+/g, ' ').trim();
  const hash = createHash('sha256').update(`${tenant}\n${words}`).digest().readUInt32BE(0);
  return hash < share * 2 ** 32;
}
