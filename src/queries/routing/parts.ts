import type { Filter } from '../../domain/filter.ts';
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
  readonly threshold: number;
}

/** The whole question, then the operands of its plan. `outside`: operands that lie outside of what was asked for. */
export function partsOf({ question, base, plan, threshold }: PartsRequest): {
  parts: Part[];
  outside: number;
} {
  const parts = [partOf({ label: 'question', query: question }, base, resembling)];
  const only = plan.operands.length === 1;
  let outside = 0;
  for (const [index, operand] of plan.operands.entries()) {
    const narrowing = intersect(base, operand);
    const drillTo = narrowing && drillOf(operand.query, narrowing);
    const narrow = isNarrow(operand);
    const repeats = operand.query === question && !narrow;
    if (!narrowing) outside++;
    else if (!repeats || drillTo)
      parts.push({
        ...partOf(operand, narrowing, narrow ? 1 : answering),
        side: only ? undefined : index,
        maySearch: !repeats,
        mayRecurse: isSmaller(operand.query, question) && complexityOf(operand.query).score >= threshold,
        drillTo,
      });
  }
  return { parts, outside };
}

function partOf(operand: Operand, narrowing: Narrowing, evidence: number): Part {
  const { label, query, layers, scope, filter, otherwise = [], follow } = operand;
  return {
    label,
    query,
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

function isSmaller(part: string, whole: string): boolean {
  return words(part).length < words(whole).length;
}

/** The smallest kind of place of which the text means several, where it is not in one of them already. */
function drillOf(text: string, { scope = {} }: Narrowing): DrillLayer | undefined {
  const { spread } = complexityOf(text);
  return drillLayers.findLast((layer) => spread.includes(layer) && scope[layer] === undefined);
}

/** What can be done for a part. */
export function actionsFor(part: Part, index: number): Action[] {
  const { query, narrowing, maySearch, mayRecurse, drillTo } = part;
  const actions: Action[] = [];
  if (maySearch) actions.push({ name: 'SearchLayer', operand: index, query, ...narrowing });
  if (mayRecurse) actions.push({ name: 'RecursiveCall', operand: index, question: query });
  if (drillTo !== undefined) {
    const from = drillLayers[drillLayers.indexOf(drillTo) - 1] ?? 'company';
    actions.push({ name: 'DrillDown', operand: index, from, to: drillTo, filter: query });
  }
  return actions;
}
