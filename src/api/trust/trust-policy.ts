import { z } from 'zod';
import { configureTrust } from '../../commands/spaces/configure-space.ts';
import { trustPolicySchema, type TrustPolicy } from '../../domain/trust/policy.ts';
import { position } from '../example-values.ts';
import { positionField, waitFields } from '../fields.ts';
import { operation } from '../operation.ts';

const policyExample = {
  quarantine: [{ source: 'web', flag: 'instruction' }, { cause: 'llm' }],
  reviewers: ['admin'],
} satisfies TrustPolicy;

export const putTrust = operation({
  name: 'putTrust',
  summary: 'Replace the trust policy of the tenant: what waits for a review, and who reviews',
  area: 'Administration',
  input: trustPolicySchema,
  output: z.object({ policy: trustPolicySchema, position: positionField }),
  examples: { input: policyExample, output: { policy: policyExample, position } },
  access: { roles: ['admin'], refusal: 'the trust policy needs the role admin' },
  command: { scope: () => ['PUT', '/v1/admin/trust'] },
  async handle({ context, input, services, token }) {
    const { policy, position: at, replayed } = await configureTrust(services.commands, context, input);
    return { output: { policy, position: token(at) }, replayed };
  },
});

export const getTrust = operation({
  name: 'getTrust',
  summary: 'Show the trust policy of the tenant',
  area: 'Administration',
  input: z.strictObject(waitFields),
  output: z.object({ policy: trustPolicySchema }),
  examples: { input: {}, output: { policy: policyExample } },
  access: {
    roles: ['member', 'reader', 'auditor', 'operator', 'admin'],
    refusal: 'agents do not see the trust policy',
  },
  reads: 'log',
  async handle({ caller, services: { commands } }) {
    const { trust } = await commands.spaces.current(caller.tenant);
    return { output: { policy: trust } };
  },
});
