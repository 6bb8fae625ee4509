import type { Filter } from '../../domain/filter.ts';
import { textsFor, type Reasoning } from '../../domain/reasoning/reasoning.ts';
import type { SearchTexts } from '../../domain/reasoning/search-texts.ts';
import type { Layer } from '../../domain/layers.ts';
import { drillLayers, type Action, type DrillLayer } from '../../domain/routing/actions.ts';
import { complexityOf } from '../../domain/routing/complexity.ts';
import type { Follow, Operand, Plan } from '../../domain/routing/plan.ts';
import { words } from '../../domain/text/tokens.ts';
import { intersect, isBounded, type SearchBounds } from './search-bounds.ts';
import { answering, resembling } from './result-accumulator.ts';

/** One part of a decomposed question, with its search conditions and progress. */
export interface Subquery {
  readonly label: string;
  readonly query: string;
  /** Texts to search for instead of the query. */
  readonly texts: SearchTexts | undefined;
  /** Where to search: the caller's bounds intersected with the conditions of the subquery. */
  readonly bounds: SearchBounds;
  /** The conditions that the subquery itself states. */
  readonly conditions: SearchBounds;
  /** Fallback filters if too few memories meet its own, each weaker than the one before. */
  readonly weaker: readonly Filter[];
  /** Evidence that a result of this subquery carries. */
  readonly evidence: number;
  readonly follow: Follow | undefined;
  readonly side: number | undefined;
  state: 'pending' | 'done';
  /** False if the search for the whole question is the same. */
  readonly maySearch: boolean;
  /** Whether the subquery is complex enough to decompose further. */
  mayRecurse: boolean;
  /** The layer whose places are to be searched one by one. */
  drillTo: DrillLayer | undefined;
}

export interface SubqueriesRequest {
  readonly question: string;
  readonly base: SearchBounds;
  readonly plan: Plan;
  /** If undefined, each subquery is searched exactly as planned. */
  readonly reasoning: Reasoning | undefined;
  readonly threshold: number;
}

/** The whole question, then the operands of its plan. `outside` counts operands that lie outside the caller's bounds. */
export function subqueriesOf({ question, base, plan, reasoning, threshold }: SubqueriesRequest): {
  subqueries: Subquery[];
  outside: number;
} {
  const textsOf = (query: string, texts?: SearchTexts) => reasoning && textsFor(reasoning, query, texts);
  // Only a strategy set by the tenant may change the texts of the standard search; one chosen for the question may not.
  const whole = reasoning?.reason === 'set-for-tenant' ? textsOf(question) : undefined;
  const subqueries = [partOf({ label: 'question', query: question }, whole, base, resembling)];
  const only = plan.operands.length === 1;
  let outside = 0;
  for (const [index, operand] of plan.operands.entries()) {
    const narrow = isBounded(operand);
    // Without conditions of its own, the operand is searched in the layers of the question; these are not a condition.
    const layers = narrow ? undefined : layersOf(reasoning);
    const bounds = (layers && intersect(base, { layers })) ?? intersect(base, operand);
    const drillTo = bounds && drillOf(operand, bounds);
    const refined = reasoning?.texts[index];
    const repeats = operand.query === question && !narrow && !refined && !layers;
    if (!bounds) {
      outside++;
      continue;
    }
    const texts = textsOf(operand.query, refined);
    const subquery: Subquery = {
      ...partOf(operand, texts, bounds, narrow ? 1 : answering),
      side: only ? undefined : index,
      maySearch: !repeats,
      mayRecurse: isSmaller(operand.query, question) && complexityOf(operand.query).score >= threshold,
      drillTo,
    };
    subqueries.push(...(operand.across && drillTo ? withAll(subquery) : [subquery]).filter(hasAction));
  }
  return { subqueries, outside };
}

function partOf(
  operand: Operand,
  texts: SearchTexts | undefined,
  bounds: SearchBounds,
  evidence: number,
): Subquery {
  const { label, query, layers, scope, filter, otherwise = [], follow } = operand;
  return {
    label,
    query,
    texts,
    bounds,
    conditions: { layers, scope, filter },
    weaker: otherwise,
    evidence,
    follow,
    side: undefined,
    state: 'pending',
    maySearch: true,
    mayRecurse: false,
    drillTo: undefined,
  };
}

/** The subquery itself, then the same by place, because a drill-down covers a few places only. */
function withAll(subquery: Subquery): Subquery[] {
  const once = { ...subquery, mayRecurse: false };
  return [
    { ...once, drillTo: undefined },
    { ...once, maySearch: false },
  ];
}

function hasAction({ maySearch, drillTo }: Subquery): boolean {
  return maySearch || drillTo !== undefined;
}

/** The layers that the question is about; undefined for an exhaustive search. */
function layersOf(reasoning: Reasoning | undefined): readonly Layer[] | undefined {
  return reasoning?.strategy === 'exhaustive' ? undefined : reasoning?.layers;
}

function isSmaller(subquery: string, whole: string): boolean {
  return words(subquery).length < words(whole).length;
}

/** The innermost layer of which the operand means several places, unless its scope already names one. */
function drillOf({ query, across = [] }: Operand, { scope = {} }: SearchBounds): DrillLayer | undefined {
  const several: readonly string[] = [...complexityOf(query).spread, ...across];
  return drillLayers.findLast((layer) => several.includes(layer) && scope[layer] === undefined);
}

/** Whether a search is the only possible action for the subquery. */
export function isSearchOnly({ maySearch, mayRecurse, drillTo }: Subquery): boolean {
  return maySearch && !mayRecurse && drillTo === undefined;
}

/** The possible actions for a subquery. */
export function actionsFor(subquery: Subquery, index: number): Action[] {
  const { query, texts, bounds, maySearch, mayRecurse, drillTo } = subquery;
  const actions: Action[] = [];
  if (maySearch)
    actions.push({ name: 'SearchLayer', operand: index, query, ...(texts && { texts }), ...bounds });
  if (mayRecurse) actions.push({ name: 'RecursiveCall', operand: index, question: query });
  if (drillTo !== undefined) {
    const from = drillLayers[drillLayers.indexOf(drillTo) - 1] ?? 'company';
    actions.push({ name: 'DrillDown', operand: index, from, to: drillTo, filter: query });
  }
  return actions;
}
