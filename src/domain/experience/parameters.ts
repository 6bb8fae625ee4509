import { z } from 'zod';
import { inOwnWords } from '../input/issue-words.ts';
import { canonicalJson, type JsonObject } from '../json.ts';
import { identifier } from '../layers.ts';
import { SCORE_OF_FLOOR } from '../ranking/score-scale.ts';
import { strategies } from '../reasoning/settings.ts';
import type { TraceOutcome } from './trace.ts';

/** Parameters of a search that a strategy may name. */
const fields = {
  mode: z.literal('standard'),
  topK: z.int().min(1).max(1_000),
  threshold: z.number().min(0).max(1),
  order: z.enum(['precedence', 'relevance', 'layer']),
  spaces: z.array(identifier).min(1).max(100),
  /** How a decomposition searches for the parts of the question. Only experience chooses it for a single search. */
  strategy: z.enum(strategies),
};

const searchParametersSchema = z.object(fields).partial();
type StrategyParameters = z.infer<typeof searchParametersSchema>;
export type ParameterName = keyof StrategyParameters;

export const parameterNames = Object.keys(fields) as ParameterName[];

/**
 * The bounds of experience: the parameters that it may choose if the caller leaves them open, by a named arm or like a similar attempt. People
 * see what it tries, so it may change where the answer comes from, but not how much is shown, from which score on, or in what order.
 * On everyday questions the named arms find as often and show as many results as a bare search, within 5 %. The other parameters do not:
 * any `threshold` switches off the focus of a bare search (0.7 shows 40 % more results, 0 shows everything), `topK` 12 shows 12 % more and
 * 8 shows 14 % less, and with the orders `relevance` and `layer` an outdated fact comes first more than twice as often.
 */
const choosable = ['mode', 'spaces', 'strategy'] as const satisfies readonly ParameterName[];
export type SearchParameters = Pick<StrategyParameters, (typeof choosable)[number]>;

/** What a search does if nothing is named. */
export const usualParameters = { topK: 10, order: 'precedence', strategy: 'targeted' } as const;

/**
 * The parameters of a strategy that experience may choose and the caller leaves open. Others are ignored, and so are those that name what
 * a search does anyway.
 */
export function parametersOf(
  strategy: JsonObject | undefined,
  open: ReadonlySet<ParameterName>,
): SearchParameters {
  const entries = choosable.flatMap((name) => {
    const value = open.has(name) ? valueOf(strategy, name) : undefined;
    const isUsual = name === 'strategy' && value === usualParameters.strategy;
    return value === undefined || isUsual ? [] : [[name, value]];
  });
  return Object.fromEntries(entries) as SearchParameters;
}

/**
 * Whether an attempt would have ended the same if it had shown as many results as a bare search. If its answer may have held more, its
 * success says nothing, and if it may have held less, its failure says nothing.
 */
export function isTelling(
  outcome: TraceOutcome,
  strategy: JsonObject | undefined,
  open: ReadonlySet<ParameterName>,
): boolean {
  const topK = (open.has('topK') && valueOf(strategy, 'topK')) || usualParameters.topK;
  const threshold = open.has('threshold') ? valueOf(strategy, 'threshold') : undefined;
  const mayHoldMore = topK > usualParameters.topK || threshold !== undefined;
  const mayHoldLess = topK < usualParameters.topK || (threshold ?? 0) > SCORE_OF_FLOOR;
  return !(mayHoldMore && outcome !== 'failure') && !(mayHoldLess && outcome !== 'success');
}

/** The value of a parameter, if a search would take it. */
function valueOf<Name extends ParameterName>(
  strategy: JsonObject | undefined,
  name: Name,
): StrategyParameters[Name] {
  return fields[name].safeParse(strategy?.[name]).data as StrategyParameters[Name];
}

/** The parameters that a search was sent with, of those that a strategy may name. */
export function parametersSent(sent: Readonly<Partial<Record<ParameterName, unknown>>>): JsonObject {
  const named = parameterNames.filter((name) => sent[name] !== undefined);
  return Object.fromEntries(named.map((name) => [name, sent[name]])) as JsonObject;
}

/**
 * Issues of the parameters of a search in a strategy that a search would refuse. Other names are free: an attempt may be
 * anything.
 */
export function parameterIssues(strategy: JsonObject): readonly z.core.$ZodIssue[] {
  return searchParametersSchema.safeParse(strategy, { error: inOwnWords }).error?.issues ?? [];
}

/** Named choices of parameters, which are tried for every kind of question. The first changes nothing. */
const namedArms = {
  default: {},
  plain: { mode: 'standard' },
  exhaustive: { strategy: 'exhaustive' },
} as const satisfies Readonly<Record<string, SearchParameters>>;

export type ArmName = keyof typeof namedArms;
const armNames = Object.keys(namedArms) as ArmName[];

export interface Arm {
  /** `like-trace`: the parameters of a similar attempt, if no named arm has them. */
  readonly name: ArmName | 'like-trace';
  readonly parameters: SearchParameters;
}

export const defaultArm: Arm = { name: 'default', parameters: namedArms.default };

/** The named arms that change only parameters which the caller leaves open; the default is first. */
export function armsFor(open: ReadonlySet<ParameterName>): Arm[] {
  return armNames
    .map((name): Arm => ({ name, parameters: namedArms[name] }))
    .filter(({ parameters }) => Object.keys(parameters).every((name) => open.has(name as ParameterName)));
}

/** Whether both change the same parameters to the same values. */
export function isSameArm(one: SearchParameters, other: SearchParameters): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

/**
 * The name under which the outcome of a search counts: that of the chosen arm, unless the caller sent a mode or a threshold. These decide
 * what can be found, so a mode counts for the arm that has it, and a threshold for none: it says nothing about the default. Other
 * parameters only restrict or sort what an arm finds.
 */
export function countedArm(
  sent: Readonly<Partial<Record<ParameterName, unknown>>>,
  chosen: Arm,
): Arm['name'] | 'as-sent' {
  if (sent.threshold !== undefined) return 'as-sent';
  const { mode } = parametersOf(sent as JsonObject, new Set(['mode']));
  if (mode === undefined) return chosen.name;
  const { spaces: _, ...decisive } = { mode, ...chosen.parameters };
  return armNames.find((name) => isSameArm(namedArms[name], decisive)) ?? 'as-sent';
}
