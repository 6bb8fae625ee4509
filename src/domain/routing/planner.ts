import { acrossPlaces } from './planner/breadth.ts';
import { readIdentifiers } from './planner/identifiers.ts';
import { readKnownValues } from './planner/known-values.ts';
import { operandsOf } from './planner/operands.ts';
import type { Aggregation, Plan } from './plan.ts';
import { readQuantities } from './planner/quantities.ts';
import { readQuotedNames } from './planner/quoted-names.ts';
import { Reading } from './planner/reading.ts';
import { contentLeft } from './planner/residue.ts';
import { readTimeRanges } from './planner/time-ranges.ts';
import { readVersions } from './planner/versions.ts';
import type { Vocabulary } from './vocabulary.ts';
import { ASKING, compares, SUMMARIZING } from './planner/request-words.ts';

/** What a planner understands, in the order in which it looks. */
export const RULES = {
  quotedNames: readQuotedNames,
  quantities: readQuantities,
  versions: readVersions,
  timeRanges: readTimeRanges,
  identifiers: readIdentifiers,
  knownValues: readKnownValues,
} as const;

export type RuleName = keyof typeof RULES;

/** UTF-16 units: what is longer was pasted, and what it names was not asked for one by one. */
const longestQuestion = 2_000;
/** Of one question: of more, each would be searched for with the rest, and none be heard in the answer. */
const mostConditions = 12;

export interface PlannerOptions {
  /** For "since March" and "last quarter", which are not understood without it. */
  readonly now?: Date;
  /** All, unless given. */
  readonly rules?: readonly RuleName[];
}

/**
 * What to search for, from the words of a question and what the tenant's own data names. Pure: the same question,
 * vocabulary and time give the same plan. Where nothing is understood the plan is one search for the whole question.
 */
export function planOf(question: string, vocabulary: Vocabulary, options: PlannerOptions = {}): Plan {
  const { now, rules = Object.keys(RULES) as RuleName[] } = options;
  const whole: Plan = { aggregation: 'combine', operands: [{ label: question, query: question }] };
  if (question.length > longestQuestion) return whole;
  const reading = new Reading(question, vocabulary);
  for (const rule of rules) RULES[rule](reading, now);
  reading.keepFirst(mostConditions);
  if (isStatement(reading)) return whole;
  return { aggregation: aggregationOf(reading), operands: acrossPlaces(operandsOf(reading), reading) };
}

/** So many other words for one that is a value, and it occurs as a word like others. */
const WORDS_PER_CONDITION = { request: 6, statement: 2 } as const;

/** A text that tells something and happens to hold the name of a value. */
function isStatement(reading: Reading): boolean {
  const { conditions } = reading;
  if (conditions.length === 0 || conditions.some(({ isName }) => isName)) return false;
  const kind = ASKING.has(reading.word(0)) ? 'request' : 'statement';
  return contentLeft(reading) > WORDS_PER_CONDITION[kind] * conditions.length;
}

function aggregationOf({ question: { tokens } }: Reading): Aggregation {
  if (compares(tokens.map(({ word }) => word))) return 'compare';
  return tokens.some(({ word }) => SUMMARIZING.has(word)) ? 'summarize' : 'combine';
}
