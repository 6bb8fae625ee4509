import { z } from 'zod';
import { defineEvent, type EventOf } from '../events/define.ts';
import { routes } from '../routing/settings.ts';

const weightsSchema = z.partialRecord(z.enum(routes), z.record(z.string(), z.number()));

/** A complete `RoutePolicy`, so that its choices can be repeated from the event. */
const policySchema = z.object({
  version: z.string(),
  base: weightsSchema,
  tenant: weightsSchema,
  decisions: z.int().nonnegative(),
});

const estimateSchema = z.object({
  value: z.number(),
  /** Standard error; missing if there are too few decisions for one. */
  error: z.number().nonnegative().optional(),
});

/** An `Evaluation` without infinite numbers, which JSON cannot hold. */
export const figuresSchema = z.object({
  decisions: z.int().nonnegative(),
  deviating: z.number().min(0).max(1),
  matched: z.number().nonnegative(),
  opposed: z.number().nonnegative(),
  effectiveSize: z.number().nonnegative(),
  ips: estimateSchema,
  snips: estimateSchema,
  doublyRobust: estimateSchema,
  interval: z.tuple([z.number(), z.number()]).optional(),
  leastWithoutOne: z.number().optional(),
});

const by = z.enum(['process', 'operator']);

/**
 * A step of the trainer: the state after it and the decisions that it consumed. No other step of the stream consumes them again. In the
 * stream of the system tenant it is a step of the global base, which consumes decisions of several tenants.
 */
export const PolicyUpdated = defineEvent({
  type: 'PolicyUpdated',
  category: 'policy',
  version: 1,
  routing: z.object({
    version: z.string(),
    /** What the weights are added to. */
    base: z.object({ version: z.string(), weights: weightsSchema }),
    state: z.object({
      weights: weightsSchema,
      baseline: z.number().optional(),
      spread: z.number().nonnegative().optional(),
      steps: z.int().nonnegative(),
      decisions: z.int().nonnegative(),
      /** By pseudonym. */
      principals: z.record(z.string(), z.number().nonnegative()),
    }),
    consumed: z.array(
      z.object({
        /** Id of the search without its signature. */
        searchId: z.string(),
        reward: z.number().min(-1).max(1),
        /** Only in a step of the global base. */
        tenant: z.string().optional(),
      }),
    ),
    /** Learned from synthetic decisions. */
    bootstrap: z.boolean(),
  }),
  sealed: z.object({}),
});

/** A look at the evidence for a candidate that did not give it traffic. All looks share one error, so each is recorded. */
export const PolicyCompared = defineEvent({
  type: 'PolicyCompared',
  category: 'policy',
  version: 1,
  routing: z.object({
    version: z.string(),
    incumbent: z.string(),
    verdict: z.enum(['keep-collecting', 'reject']),
    reason: z.string(),
    looks: z.int().nonnegative(),
    figures: figuresSchema,
  }),
  sealed: z.object({}),
});

/** A policy gets a share of the traffic, or all of it. The event holds the policy itself. */
export const PolicyPromoted = defineEvent({
  type: 'PolicyPromoted',
  category: 'policy',
  version: 1,
  routing: z.object({
    policy: policySchema,
    share: z.enum(['canary', 'all']),
    by,
    /** An admin promoted it although it was not proven. */
    forced: z.boolean(),
    looks: z.int().nonnegative(),
    figures: figuresSchema.optional(),
  }),
  sealed: z.object({}),
});

/** A policy loses its traffic. */
export const PolicyRolledBack = defineEvent({
  type: 'PolicyRolledBack',
  category: 'policy',
  version: 1,
  routing: z.object({
    version: z.string(),
    /** The policy that has all traffic from now on. */
    to: z.string(),
    /** `worse`: its live figures. `operator`: somebody asked for it. */
    reason: z.enum(['worse', 'operator']),
    by,
    figures: figuresSchema.optional(),
  }),
  sealed: z.object({}),
});

export type PolicyUpdate = EventOf<typeof PolicyUpdated>;
export type RoutePolicyEvent =
  | PolicyUpdate
  | EventOf<typeof PolicyCompared>
  | EventOf<typeof PolicyPromoted>
  | EventOf<typeof PolicyRolledBack>;
export type Figures = z.infer<typeof figuresSchema>;
