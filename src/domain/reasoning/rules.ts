import type { Operand, Plan } from '../routing/plan.ts';
import type { Reasoning } from './reasoning.ts';
import type { ReasoningSettings, Strategy } from './settings.ts';

/**
 * The reasoning without a model's proposal: the plan's own texts, and the strategy that the tenant has set.
 *
 * @param experienced The strategy that worked for similar questions, if any; it applies where the tenant has set none.
 */
export function reasonByRules(
  { operands }: Plan,
  { strategy }: Pick<ReasoningSettings, 'strategy'>,
  experienced?: Strategy,
): Reasoning {
  const texts = operands.map(() => undefined);
  if (strategy !== 'auto') return { strategy, reason: 'set-for-tenant', texts };
  if (experienced) return { strategy: experienced, reason: 'from-experience', texts };
  const named = operands.some(isNarrow);
  return { strategy: 'targeted', reason: named ? 'conditions-named' : 'nothing-named', texts };
}

function isNarrow({ layers, scope, filter }: Operand): boolean {
  return layers !== undefined || scope !== undefined || filter !== undefined;
}
