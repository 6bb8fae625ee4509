import { z } from 'zod';
import { waitFields } from '../fields.ts';
import { operation } from '../operation.ts';
import { budgetOf, budgetState } from './budget-schema.ts';
import { budgetStateExample } from './examples.ts';

export const budgets = operation({
  name: 'budgets',
  summary:
    'Show what the tenant may spend on language models and remote embedding models, and what it has spent',
  area: 'Administration',
  input: z.strictObject(waitFields),
  output: budgetState,
  examples: { input: {}, output: budgetStateExample },
  access: {
    roles: ['operator', 'auditor', 'admin'],
    refusal: 'the budget needs the role operator, auditor or admin',
  },
  reads: 'log',
  async handle({ caller, services }) {
    return { output: budgetOf(await services.ledger.state(caller.tenant)) };
  },
});
