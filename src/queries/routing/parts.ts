import type { Filter } from '../../domain/filter.ts';
import { textsFor, type Reasoning } from '../../domain/reasoning/reasoning.ts';
import type { SearchTexts } from '../../domain/reasoning/search-texts.ts';
import type { Layer } from '../../domain/layers.ts';
import { drillLayers, type Action, type DrillLayer } from '../../domain/routing/actions.ts';
import { complexityOf } from '../../domain/routing/complexity.ts';
import type { Follow, Operand, Plan } from '../../domain/routing/plan.ts';
import { words } from '../../domain/text/tokens.ts';
import { intersect, isNarrow, type Narrowing } from './narrowing.ts';
import { answering, resembling } from './pool.ts';

/** A part of a question on its way to its answer. */
export interface Part {
  readonly label: string;
  readonly query: string;
  /** What is looked for instead of the query. */
  readonly texts: SearchTexts | undefined;
  /** Where it is looked for; within what the caller asked for. */
  readonly narrowing: Narrowing;
  /** What of it is said by the part itself. */
  readonly conditions: Narrowing;
  /** Filters to try where too few meet its own, each weaker than the one before it. */
  readonly weaker: readonly Filter[];
  /** What it says of a memory that a search for this part found it. */
  readonly evidence: number;
  readonly follow: Follow | undefined;
  readonly side: number | undefined;
  state: 'pending' | 'done';
  /** Not where the same search was made for the whole question. */
  readonly maySearch: boolean;
  /** It asks for several things itself. */
  mayRecurse: boolean;
  /** The kind of place of which it means several. */
  drillTo: DrillLayer | undefined;
}

export interface PartsRequest {
  readonly question: string;
  readonly base: Narrowing;
  readonly plan: Plan;
  /** Without one each part is looked for as the plan has it. */
  readonly reasoning: Reasoning | undefined;
  readonly threshold: number;
}

/** The whole question, then the operands of its plan. `outside`: operands that lie outside of what was asked for. */
export function partsOf({ question, base, plan, reasoning, threshold }: PartsRequest): {
  parts: Part[];
  outside: number;
} {
  const textsOf = (query: string, texts?: SearchTexts) => reasoning && textsFor(reasoning, query, texts);
  // What a model chose replaces nothing of the standard search; what the tenant has set does.
  const whole = reasoning?.reason === 'set-for-tenant' ? textsOf(question) : undefined;
  const parts = [partOf({ label: 'question', query: question }, whole, base, resembling)];
  const only = plan.operands.length === 1;
  let outside = 0;
  for (const [index, operand] of plan.operands.entries()) {
    const narrow = isNarrow(operand);
    // Where it names nothing itself it is looked for in the layers that the question is about: that is no condition of it.
    const layers = narrow ? undefined : layersOf(reasoning);
    const narrowing = (layers && intersect(base, { layers })) ?? intersect(base, operand);
    const drillTo = narrowing && drillOf(operand, narrowing);
    const refined = reasoning?.texts[index];
    const repeats = operand.query === question && !narrow && !refined && !layers;
    if (!narrowing) {
      outside++;
      continue;
    }
    const texts = textsOf(operand.query, refined);
    const part: Part = {
      ...partOf(operand, texts, narrowing, narrow ? 1 : answering),
      side: only ? undefined : index,
      maySearch: !repeats,
      mayRecurse: isSmaller(operand.query, question) && complexityOf(operand.query).score >= threshold,
      drillTo,
    };
    parts.push(...(operand.across && drillTo ? withAll(part) : [part]).filter(isAnythingToDo));
  }
  return { parts, outside };
}

function partOf(
  operand: Operand,
  texts: SearchTexts | undefined,
  narrowing: Narrowing,
  evidence: number,
): Part {
  const { label, query, layers, scope, filter, otherwise = [], follow } = operand;
  return {
    label,
    query,
    texts,
    narrowing,
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

/** The part everywhere, then the places that its query no longer names: up to three of them are not all. */
function withAll(part: Part): Part[] {
  const once = { ...part, mayRecurse: false };
  return [
    { ...once, drillTo: undefined },
    { ...once, maySearch: false },
  ];
}

function isAnythingToDo({ maySearch, drillTo }: Part): boolean {
  return maySearch || drillTo !== undefined;
}

/** The layers that a question is about, unless all are to be searched. */
function layersOf(reasoning: Reasoning | undefined): readonly Layer[] | undefined {
  return reasoning?.strategy === 'exhaustive' ? undefined : reasoning?.layers;
}

function isSmaller(part: string, whole: string): boolean {
  return words(part).length < words(whole).length;
}

/** The smallest kind of place of which the operand means several, where it is not in one of them already. */
function drillOf({ query, across = [] }: Operand, { scope = {} }: Narrowing): DrillLayer | undefined {
  const several: readonly string[] = [...complexityOf(query).spread, ...across];
  return drillLayers.findLast((layer) => several.includes(layer) && scope[layer] === undefined);
}

/** Nothing can be done for the part but to search: that is what will be done. */
export function isToBeSearched({ maySearch, mayRecurse, drillTo }: Part): boolean {
  return maySearch && !mayRecurse && drillTo === undefined;
}

/** What can be done for a part. */
export function actionsFor(part: Part, index: number): Action[] {
  const { query, texts, narrowing, maySearch, mayRecurse, drillTo } = part;
  const actions: Action[] = [];
  if (maySearch)
    actions.push({ name: 'SearchLayer', operand: index, query, ...(texts && { texts }), ...narrowing });
  if (mayRecurse) actions.push({ name: 'RecursiveCall', operand: index, question: query });
  if (drillTo !== undefined) {
    const from = drillLayers[drillLayers.indexOf(drillTo) - 1] ?? 'company';
    actions.push({ name: 'DrillDown', operand: index, from, to: drillTo, filter: query });
  }
  return actions;
}
