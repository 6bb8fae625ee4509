import type { Layer } from '../layers.ts';
import type { SearchTexts } from './search-texts.ts';
import type { Strategy } from './settings.ts';

/** Why a strategy was chosen. */
export const strategyReasons = [
  'set-for-tenant',
  'conditions-named',
  'nothing-named',
  'proposed-by-model',
] as const;
export type StrategyReason = (typeof strategyReasons)[number];

/** How the parts of one question are looked for. */
export interface Reasoning {
  readonly strategy: Strategy;
  readonly reason: StrategyReason;
  /** Where parts without conditions of their own are looked for; everywhere where it is not given. */
  readonly layers?: readonly Layer[] | undefined;
  /** What is looked for instead of the query of each operand, in their order; undefined: the query. */
  readonly texts: readonly (SearchTexts | undefined)[];
}

/** What a search for `query` looks for: `texts` where there are any, and no words where meaning alone is to be compared. */
export function textsFor(
  { strategy }: Pick<Reasoning, 'strategy'>,
  query: string,
  texts?: SearchTexts,
): SearchTexts | undefined {
  return strategy === 'semantic-only' ? { dense: texts?.dense ?? query, lexical: undefined } : texts;
}
