import { z } from 'zod';
import { rollBackPolicy as rollBack } from '../../commands/policies/change-traffic.ts';
import { operation } from '../operation.ts';
import { rolledBackExample } from './examples.ts';
import { changedTraffic } from './policy-schema.ts';
import { policyOperators } from './roles.ts';

export const rollBackPolicy = operation({
  name: 'rollBackPolicy',
  summary: 'Take a version out of traffic: the one before it chooses the routes again',
  area: 'Administration',
  input: z.strictObject({ version: z.string() }),
  output: changedTraffic,
  examples: { input: { version: 'learned-12' }, output: rolledBackExample },
  access: policyOperators,
  command: {
    scope: ({ version }) => ['POST', `/v1/admin/policies/${version}/rollback`],
    arguments: z.strictObject({}),
  },
  async handle({ context, input, services, token }) {
    const { inForce, position, replayed } = await rollBack(
      services.commands,
      context,
      services.learning,
      input.version,
    );
    return { output: { inForce, position: token(position) }, replayed };
  },
});
