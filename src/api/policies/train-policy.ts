import { z } from 'zod';
import { bootstrapPolicy } from '../../commands/policies/bootstrap-policy.ts';
import { runOnce } from '../../commands/run-once.ts';
import { operation } from '../operation.ts';
import { trainedExample, trainExample } from './examples.ts';
import { policyOperators } from './roles.ts';

export const trainPolicy = operation({
  name: 'trainPolicy',
  summary:
    'Let the policy learn from the finished decisions of the tenant at once, or from synthetic ones before it has any',
  area: 'Administration',
  input: z.strictObject({
    bootstrap: z.boolean().default(false).meta({
      description:
        'Learn from synthetic decisions, which are marked as such and are never evidence. Changes nothing if the policy has learned something already. Default: false',
    }),
  }),
  output: z.object({
    version: z.string().optional().meta({ description: 'The version that was learned last, if any' }),
    learnedFrom: z.int().nonnegative().meta({
      description: 'Number of decisions that were learned from; a step takes 20, and what is left waits',
    }),
    position: z.string(),
  }),
  examples: { input: trainExample, output: trainedExample },
  access: policyOperators,
  command: { scope: () => ['POST', '/v1/admin/policies/train'] },
  async handle({ caller, context, input, services, token }) {
    const { learning, commands } = services;
    if (!input.bootstrap) {
      const { answer, replayed } = await runOnce(commands, context, async () => {
        const learnedFrom = await learning.train(caller.tenant);
        const { learned } = await learning.historyOf(caller.tenant);
        const position = token(await commands.store.log.head());
        return { ...(learned && { version: learned.version }), learnedFrom, position };
      });
      return { output: answer, replayed };
    }
    const { threshold } = await services.routing.settings(caller.tenant);
    const done = await bootstrapPolicy(commands, context, learning, threshold);
    const { version, learnedFrom, position, replayed } = done;
    return { output: { version, learnedFrom, position: token(position) }, replayed };
  },
});
