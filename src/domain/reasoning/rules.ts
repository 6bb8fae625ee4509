import type { Operand, Plan } from '../routing/plan.ts';
import type { Reasoning } from './reasoning.ts';
import type { ReasoningSettings } from './settings.ts';

/** The reasoning without a model's proposal: the plan's own texts, and the strategy that the tenant has set. */
export function reasonByRules(
  { operands }: Plan,
  { strategy }: Pick<ReasoningSettings, 'strategy'>,
): Reasoning {
  const texts = operands.map(() => undefined);
  if (strategy !== 'auto') return { strategy, reason: 'set-for-tenant', texts };
  const named = operands.some(isNarrow);
  return { strategy: 'targeted', reason: named ? 'conditions-named' : 'nothing-named', texts };
}

function isNarrow({ layers, scope, filter }: Operand): boolean {
  return layers !== undefined || scope !== undefined || filter !== undefined;
}
