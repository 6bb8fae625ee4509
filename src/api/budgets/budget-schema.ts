import { z } from 'zod';
import type { LedgerState } from '../../commands/ledger/ledger.ts';
import { budgetSchema } from '../../domain/ledger/budget.ts';
import type { RoleAccess } from '../operation.ts';

const amount = z.object({ tokens: z.int().nonnegative(), usd: z.number().nonnegative() });

export const budgetState = z
  .object({
    ...budgetSchema.shape,
    spent: amount.meta({ description: 'What this period has cost' }),
    reserved: amount.meta({
      description: 'What calls under way may cost. It counts as spent if their process ends first',
    }),
    resetsAt: z.iso.datetime().meta({ description: 'When the next period begins' }),
    exhausted: z.boolean().meta({
      description: 'Whether nothing is left, or less than a call needed that was refused in this period',
    }),
  })
  .meta({ id: 'Budget' });

export const budgetOperators: RoleAccess = {
  roles: ['operator', 'admin'],
  refusal: 'setting a budget needs the role operator or admin',
};

export function budgetOf({
  budget,
  spent,
  reserved,
  resetsAt,
  exhausted,
}: LedgerState): z.infer<typeof budgetState> {
  return { ...budget, spent: { ...spent }, reserved: { ...reserved }, resetsAt, exhausted };
}
