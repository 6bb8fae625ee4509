import { z } from 'zod';
import { routes } from '../routing/settings.ts';

/** The recorded choice of a route, from which policies are learned and evaluated. */
export const routeChoiceSchema = z.object({
  /** Inputs of the choice, by name. */
  features: z.record(z.string(), z.number()),
  /** The routes that were possible; only one if it was forced, or if there was nothing to learn. */
  arms: z.array(z.enum(routes)),
  /** Probability of each arm, exploration included, in the order of `arms`. */
  propensities: z.array(z.number().min(0).max(1)),
  /** What the policy chooses without exploration. */
  incumbent: z.enum(routes),
  /** The arm that was drawn. If its run failed, the results are nevertheless those of the standard route. */
  taken: z.enum(routes),
  policyVersion: z.string(),
  /** The session is in the share that policies are evaluated on and never learn from. */
  evaluation: z.boolean(),
});
