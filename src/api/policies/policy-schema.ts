import { z } from 'zod';
import { figuresSchema } from '../../domain/learning/policy-events.ts';
import { routes } from '../../domain/routing/settings.ts';

const policyFigures = figuresSchema.extend({ interval: z.array(z.number()).optional() }).meta({
  id: 'PolicyFigures',
  description:
    'What the log says about a version instead of another one: gains in units of the reward, by three estimators, with the 95 % interval of the doubly robust one. `matched`: decisions for which the two differ and that went the way of the version, `opposed`: those that went the way of the other one',
});

const states = ['in-force', 'canary', 'candidate', 'learning', 'earlier', 'superseded'] as const;

export const policyVersion = z
  .object({
    version: z.string(),
    state: z.enum(states).meta({
      description:
        '`in-force`: it chooses the routes. `canary`: it chooses for a share of the questions. `candidate`: it is compared with the version in force. `learning`: it was learned last, and is the next candidate. `earlier`: a roll-back returns to it. `superseded`: a later step has replaced it',
    }),
    learnedAt: z.iso.datetime().optional(),
    learnedFrom: z
      .int()
      .nonnegative()
      .optional()
      .meta({ description: 'Number of decisions of its last step' }),
    meanReward: z.number().optional().meta({ description: 'Mean reward of those decisions, −1 to 1' }),
    bootstrap: z.boolean().meta({ description: 'Whether its last step learned from synthetic decisions' }),
    figures: policyFigures.optional().meta({ description: 'Figures of its last comparison, if any' }),
    comparedWith: z.string().optional().meta({ description: 'The version that `figures` compare it with' }),
    observed: z
      .object({
        decisions: z.int().nonnegative(),
        days: z.array(z.object({ day: z.string(), decisions: z.int(), reward: z.number() })),
        arms: z.array(
          z.object({
            arm: z.enum(routes),
            decisions: z.int(),
            propensity: z.number(),
            reward: z.number().optional(),
            success: z.number().optional(),
          }),
        ),
      })
      .optional()
      .meta({
        description:
          'Of the latest 10,000 decisions with a known outcome, those made while the version was in force: rewards by day, and of each route how probable it was and how often its answers were used',
      }),
  })
  .meta({ id: 'PolicyVersion' });

export const policyList = z
  .object({
    inForce: z.string(),
    canary: z.string().optional(),
    candidate: z.string().meta({
      description:
        'The version that is compared with the one in force. If it is the one in force itself, there is no other candidate until something new is learned',
    }),
    decisions: z.int().nonnegative().meta({ description: 'Decisions that the tenant has learned from' }),
    exploration: z
      .number()
      .meta({ description: 'Share of the questions that take another route to learn from it' }),
    looks: z
      .int()
      .nonnegative()
      .meta({ description: 'Looks at the evidence since the traffic last changed' }),
    needed: z.int().meta({ description: 'Matched deviations that the next look needs' }),
    items: z.array(policyVersion),
  })
  .meta({ id: 'Policies' });

export const policyEvaluation = z
  .object({
    version: z.string(),
    incumbent: z.string().meta({ description: 'The version in force' }),
    comparedWith: z.string().meta({
      description:
        'The version that the figures compare it with, never itself: the one in force. The version in force is compared with the one before it or, if there was none, with the candidate',
    }),
    looks: z
      .int()
      .nonnegative()
      .meta({ description: 'Looks at the evidence since the traffic last changed' }),
    needed: z.int().meta({
      description:
        'Matched deviations that the verdict needs: those of the next look or, for the version in force, as many matched as opposed ones',
    }),
    verdict: z.enum(['keep-collecting', 'promote', 'reject']).meta({
      description:
        '`promote`: it is proven to be better. `reject`: it is proven to be worse; the version in force is then rolled back. `keep-collecting`: neither',
    }),
    reason: z.string(),
    figures: policyFigures,
  })
  .meta({ id: 'PolicyEvaluation' });

export const changedTraffic = z
  .object({
    inForce: z.string().meta({ description: 'The version that has all traffic now' }),
    position: z.string(),
  })
  .meta({ id: 'ChangedTraffic' });
