import { z } from 'zod';
import { configureLimits as configure } from '../../commands/configure-limits.ts';
import { limitsSchema } from '../../domain/admission/limits.ts';
import { operation } from '../operation.ts';
import { position } from '../example-values.ts';
import { limitsExample } from './examples.ts';

export const configureLimits = operation({
  name: 'configureLimits',
  summary: 'Replace the limits of the tenant: rates and requests at a time, by credential, role and tenant',
  area: 'Administration',
  input: limitsSchema,
  output: z.object({ limits: limitsSchema, position: z.string() }),
  examples: { input: limitsExample, output: { limits: limitsExample, position } },
  access: { roles: ['operator', 'admin'], refusal: 'limits need the role operator or admin' },
  command: { scope: () => ['PUT', '/v1/admin/limits'] },
  async handle({ context, input, services, token }) {
    const { limits, position: at, replayed } = await configure(services.commands, context, input);
    services.admission.limits.forget();
    return { output: { limits, position: token(at) }, replayed };
  },
});
