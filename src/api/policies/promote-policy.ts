import { z } from 'zod';
import { promotePolicy as promote } from '../../commands/policies/change-traffic.ts';
import { Problem } from '../../domain/problems.ts';
import { operation } from '../operation.ts';
import { changedTrafficExample } from './examples.ts';
import { changedTraffic } from './policy-schema.ts';
import { policyOperators } from './roles.ts';

const force = z.boolean().default(false).meta({
  description: 'Promote a version that is not proven to be better; only for admins. Default: false',
});

export const promotePolicy = operation({
  name: 'promotePolicy',
  summary:
    'Let a version choose all routes of the tenant; it must be proven to be better than the one in force',
  area: 'Administration',
  input: z.strictObject({ version: z.string(), force }),
  output: changedTraffic,
  examples: { input: { version: 'learned-12' }, output: changedTrafficExample },
  access: policyOperators,
  command: {
    scope: ({ version }) => ['POST', `/v1/admin/policies/${version}/promote`],
    arguments: z.strictObject({ force }),
  },
  async handle({ caller, context, input, services, token }) {
    if (input.force && !caller.roles.includes('admin'))
      throw new Problem('forbidden', 'promoting a policy with `force` needs the role admin');
    const { inForce, position, replayed } = await promote(
      services.commands,
      context,
      services.learning,
      input,
    );
    return { output: { inForce, position: token(position) }, replayed };
  },
});
