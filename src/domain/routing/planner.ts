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
import { wallClock } from '../wall-clock.ts';
import type { Vocabulary } from './vocabulary.ts';
import { ASKING, compares, SUMMARIZING } from './planner/request-words.ts';

/** What the planner recognizes in a question. The rules run in this order. */
export const RULES = {
  quotedNames: readQuotedNames,
  quantities: readQuantities,
  versions: readVersions,
  timeRanges: readTimeRanges,
  identifiers: readIdentifiers,
  knownValues: readKnownValues,
} as const;

export type RuleName = keyof typeof RULES;

/**
 * Maximum number of UTF-16 units of a question that is planned. A longer text was pasted, and the things that it names were not asked
 * for one by one.
 */
const maxQuestionLength = 2_000;
/** Maximum number of conditions of a question. With more searches, none would have a visible share of the answer. */
const maxConditions = 12;

export interface PlannerOptions {
  /** Needed to understand "since March" and "last quarter". */
  readonly now?: Date;
  /** Offset of the asker's clock from UTC, which decides when a day begins, in minutes; default: 0. */
  readonly utcOffset?: number | undefined;
  /** Default: all. */
  readonly rules?: readonly RuleName[];
}

/**
 * Plans the searches for a question from its words and the vocabulary of the tenant. Pure: the same question, vocabulary and
 * time give the same plan. If nothing is understood, the plan is one search for the whole question.
 */
export function planOf(question: string, vocabulary: Vocabulary, options: PlannerOptions = {}): Plan {
  const { now, utcOffset = 0, rules = Object.keys(RULES) as RuleName[] } = options;
  const whole: Plan = { aggregation: 'combine', operands: [{ label: question, query: question }] };
  if (question.length > maxQuestionLength) return whole;
  const reading = new Reading(question, vocabulary);
  const shown = now && wallClock(now, utcOffset);
  for (const rule of rules) RULES[rule](reading, shown, utcOffset);
  reading.keepFirst(maxConditions);
  if (isStatement(reading)) return whole;
  return { aggregation: aggregationOf(reading), operands: acrossPlaces(operandsOf(reading), reading) };
}

/** With more other words than this per condition, a value in the text is taken for an ordinary word. */
const WORDS_PER_CONDITION = { request: 6, statement: 2 } as const;

/** Whether a text states something and only happens to contain a value. */
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
