import { configureBudget as configure } from '../../commands/ledger/configure-budget.ts';
import { runOnce } from '../../commands/run-once.ts';
import { budgetSchema } from '../../domain/ledger/budget.ts';
import { positionField } from '../fields.ts';
import { operation } from '../operation.ts';
import { budgetOf, budgetOperators, budgetState } from './budget-schema.ts';
import { budgetConfiguredExample, budgetExample } from './examples.ts';

export const configureBudget = operation({
  name: 'configureBudget',
  summary:
    'Set what the tenant may spend on language models and remote embedding models in a day or month; a limit that is left out is off',
  area: 'Administration',
  input: budgetSchema.meta({ id: 'ConfigureBudget' }),
  output: budgetState.extend({ position: positionField }),
  examples: { input: budgetExample, output: budgetConfiguredExample },
  access: budgetOperators,
  command: { scope: () => ['PUT', '/v1/admin/budgets'] },
  async handle({ caller, context, input, services, token }) {
    const { commands, ledger } = services;
    const { position, replayed } = await configure(commands, context, input);
    // What is spent changes, but a repeated command is answered as the first time.
    const { answer } = await runOnce(
      commands,
      context,
      async () => {
        const { spent, reserved, resetsAt, exhausted } = budgetOf(await ledger.state(caller.tenant));
        return { spent, reserved, resetsAt, exhausted };
      },
      'counters',
    );
    return { output: { ...input, ...answer, position: token(position) }, replayed };
  },
});
