import { z } from 'zod';
import { limitsSchema } from '../../domain/admission/limits.ts';
import { waitFields } from '../fields.ts';
import { operation } from '../operation.ts';
import { limitsExample } from './examples.ts';

export const limits = operation({
  name: 'limits',
  summary: 'Show what the callers of the tenant may ask for',
  area: 'Administration',
  input: z.strictObject(waitFields),
  output: z.object({ limits: limitsSchema }),
  examples: { input: {}, output: { limits: limitsExample } },
  access: {
    roles: ['operator', 'auditor', 'admin'],
    refusal: 'limits need the role operator, auditor or admin',
  },
  reads: 'log',
  async handle({ caller, input, services: { admission } }) {
    // The cache may lack what another process changed before that position.
    if (input.minPosition !== undefined) admission.limits.forget();
    return { output: { limits: await admission.limits.of(caller.tenant) } };
  },
});
