import { z } from 'zod';
import { inOwnWords } from '../input/issue-words.ts';
import { canonicalJson, type JsonObject } from '../json.ts';
import { identifier } from '../layers.ts';
import { strategies } from '../reasoning/settings.ts';

/** Parameters of a search that experience may choose if the caller leaves them open. */
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
export type SearchParameters = z.infer<typeof searchParametersSchema>;
export type ParameterName = keyof SearchParameters;

export const parameterNames = Object.keys(fields) as ParameterName[];

/** What a search does if nothing is named. */
export const usualParameters = { topK: 10, order: 'precedence', strategy: 'targeted' } as const;

/**
 * The parameters of a strategy that a search can repeat and the caller leaves open. Others are ignored, and so are those that name what a
 * search does anyway.
 */
export function parametersOf(
  strategy: JsonObject | undefined,
  open: ReadonlySet<ParameterName>,
): SearchParameters {
  const entries = parameterNames.flatMap((name) => {
    const parsed = open.has(name) ? fields[name].safeParse(strategy?.[name]) : undefined;
    const isUsual =
      name in usualParameters && parsed?.data === usualParameters[name as keyof typeof usualParameters];
    return parsed?.success && !isUsual ? [[name, parsed.data]] : [];
  });
  return Object.fromEntries(entries) as SearchParameters;
}

/** The parameters that a search was sent with, of those that experience may choose. */
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
  open: { threshold: 0, order: 'relevance' },
  'plain-open': { mode: 'standard', threshold: 0, order: 'relevance' },
  wide: { topK: 20 },
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
 * what can be found, so it counts for the arm that has them, if there is one: a caller's own threshold says nothing about the default.
 * Other parameters only restrict or sort what an arm finds.
 */
export function countedArm(
  sent: Readonly<Partial<Record<ParameterName, unknown>>>,
  chosen: Arm,
): Arm['name'] | 'as-sent' {
  const { mode, threshold } = parametersOf(sent as JsonObject, new Set(parameterNames));
  if (mode === undefined && threshold === undefined) return chosen.name;
  const decisive = decisiveOf({
    ...(mode !== undefined && { mode }),
    ...(threshold !== undefined && { threshold }),
    ...chosen.parameters,
  });
  return armNames.find((name) => isSameArm(decisiveOf(namedArms[name]), decisive)) ?? 'as-sent';
}

function decisiveOf({ topK: _, order: __, spaces: ___, ...decisive }: SearchParameters): SearchParameters {
  return decisive;
}
