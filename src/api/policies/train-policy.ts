import { z } from 'zod';
import { bootstrapPolicy } from '../../commands/policies/bootstrap-policy.ts';
import { systemTenant } from '../../domain/access/context.ts';
import { baseOf } from '../../domain/learning/global-base.ts';
import { operation } from '../operation.ts';
import { trainedExample, trainExample } from './examples.ts';
import { policyOperators } from './roles.ts';

export const trainPolicy = operation({
  name: 'trainPolicy',
  summary: 'Let the route policy of the tenant learn from synthetic decisions, before it has any of its own',
  area: 'Administration',
  input: z.strictObject({
    bootstrap: z.literal(true).meta({
      description:
        'Learn from synthetic decisions, which are marked as such and are never evidence. Changes nothing if the policy has learned something already',
    }),
  }),
  output: z.object({
    version: z.string().meta({ description: 'The version that was learned last' }),
    learnedFrom: z.int().nonnegative().meta({
      description: 'Number of decisions that were learned from; 0 if nothing changed',
    }),
    position: z.string(),
  }),
  examples: { input: trainExample, output: trainedExample },
  access: policyOperators,
  command: { scope: () => ['POST', '/v1/admin/policies/train'] },
  async handle({ caller, context, services, token }) {
    const [{ threshold }, base] = await Promise.all([
      services.routing.settings(caller.tenant),
      services.policies.history(systemTenant),
    ]);
    const { version, learnedFrom, position, replayed } = await bootstrapPolicy(services.commands, context, {
      base: baseOf(base),
      threshold,
    });
    return { output: { version, learnedFrom, position: token(position) }, replayed };
  },
});
