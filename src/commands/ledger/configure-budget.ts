import { unlimited, type Budget } from '../../domain/ledger/budget.ts';
import type { BudgetEvent } from '../../domain/ledger/events.ts';
import { budgetStream } from '../../domain/streams.ts';
import { changeStream } from '../change-stream.ts';
import { callerKey, type CommandContext, type CommandResult, type CommandServices } from '../context.ts';

/** Replaces the budget of the caller's tenant. What the period has spent already counts. */
export async function configureBudget(
  services: CommandServices,
  context: CommandContext,
  budget: Budget,
): Promise<CommandResult> {
  const { position, replayed } = await changeStream<BudgetEvent>(services, context, {
    stream: budgetStream(context.caller.tenant),
    memoryId: '',
    decide: (loaded) => {
      const before = loaded.findLast(({ event }) => event.type === 'BudgetConfigured')?.event;
      const current = before?.type === 'BudgetConfigured' ? before.data : unlimited;
      return isSame(current, budget) ? [] : [{ type: 'BudgetConfigured', data: budget }];
    },
    key: () => callerKey(services.vault, context.caller),
  });
  return { position, replayed };
}

const isSame = (left: Budget, right: Budget): boolean =>
  left.period === right.period && left.tokens === right.tokens && left.usd === right.usd;
