import type { Layer } from '../layers.ts';
import type { SearchTexts } from './search-texts.ts';
import type { Strategy } from './settings.ts';

/** Why a strategy was chosen. */
export const strategyReasons = [
  'set-for-tenant',
  'from-experience',
  'conditions-named',
  'nothing-named',
  'proposed-by-model',
] as const;
export type StrategyReason = (typeof strategyReasons)[number];

/** How the parts of one question are searched. */
export interface Reasoning {
  readonly strategy: Strategy;
  readonly reason: StrategyReason;
  /** Layers in which parts without conditions of their own are searched; all layers if absent. */
  readonly layers?: readonly Layer[] | undefined;
  /** Texts that replace each operand's query, in the order of the operands; undefined: the query is used. */
  readonly texts: readonly (SearchTexts | undefined)[];
}

/** The texts that a search for `query` uses: `texts` if given; without words if the strategy is `semantic-only`. */
export function textsFor(
  { strategy }: Pick<Reasoning, 'strategy'>,
  query: string,
  texts?: SearchTexts,
): SearchTexts | undefined {
  return strategy === 'semantic-only' ? { dense: texts?.dense ?? query, lexical: undefined } : texts;
}
