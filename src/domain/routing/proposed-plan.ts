import type { Filter } from '../filter.ts';
import type { Operand, Plan } from './plan.ts';
import { acrossPlaces } from './planner/breadth.ts';
import { allOf, anyOf, oneOf, test, timeFilter } from '../build-filter.ts';
import { strongestFirst } from './planner/operands.ts';
import { kindOf } from './planner/ordered-values.ts';
import { limitsIn, limitsOf } from './planner/time-ranges.ts';
import { findPeriods } from '../text/periods.ts';
import { Reading } from './planner/reading.ts';
import { versionsWithin } from './planner/versions.ts';
import type { Proposal, ProposedCondition, ProposedPart } from './proposal.ts';
import { keyOf, type KnownField, type Vocabulary } from './vocabulary.ts';
import type { VocabularyRequest } from './vocabulary-request.ts';

/** The values that a vocabulary must hold to check which proposed values exist. */
export function wantedByProposal({ parts }: Proposal): VocabularyRequest {
  const values = parts.flatMap(({ conditions }) => conditions.map(({ value }) => value));
  const keys = new Set(values.map(keyOf));
  keys.delete('');
  return { keys: [...keys], kinds: ['version'] };
}

/**
 * Makes a plan from a proposal. A condition counts only if its field is known and, unless it is a range, its value too.
 * Conditions that a model made up are left out, and their part is searched without them. `vocabulary` holds the values of
 * `wantedByProposal` that the caller may see; `utcOffset` is the offset of the asker's clock in minutes. Undefined if only the question itself is left.
 */
export function proposedPlan(
  question: string,
  proposal: Proposal,
  vocabulary: Vocabulary,
  utcOffset = 0,
): Plan | undefined {
  const operands = new Map<string, Operand>();
  for (const part of proposal.parts) {
    const operand = operandOf(question, part, { vocabulary, utcOffset });
    operands.set(JSON.stringify([operand.query, operand.filter]), operand);
  }
  const [first, ...others] = operands.values();
  if (!first || (others.length === 0 && first.query === question && !first.filter)) return undefined;
  const reading = new Reading(question, vocabulary);
  return { aggregation: proposal.aggregation, operands: acrossPlaces([first, ...others], reading) };
}

interface Known {
  readonly vocabulary: Vocabulary;
  readonly utcOffset: number;
}

function operandOf(question: string, part: ProposedPart, known: Known): Operand {
  const query = part.query.trim() || question;
  const filters = filtersByField(part.conditions, known);
  return {
    label: query,
    query,
    // A model guesses its conditions; the question may not state them.
    ...strongestFirst(filters.map((filter) => ({ filter, isSure: false }))),
    ...(part.follow && { follow: part.follow }),
  };
}

/** Values of the same field are alternatives; all of its limits apply. */
function filtersByField(conditions: readonly ProposedCondition[], known: Known): Filter[] {
  return [...new Set(conditions.map(({ field }) => field))].flatMap((field) => {
    const own = conditions.filter((condition) => condition.field === field);
    const filters = (list: typeof own) => list.flatMap((condition) => filterOf(condition, known) ?? []);
    const values = filters(own.filter(({ operator }) => operator === 'eq'));
    const limits = filters(own.filter(({ operator }) => operator !== 'eq'));
    const all = [...(values.length > 0 ? [anyOf(values)] : []), ...limits];
    return all.length === 0 ? [] : [allOf(all)];
  });
}

function filterOf(condition: ProposedCondition, { vocabulary, utcOffset }: Known): Filter | undefined {
  const known = vocabulary.fields.find(({ field }) => field === condition.field);
  if (!known) return undefined;
  switch (known.kind) {
    case 'date':
      return dateFilter(condition, utcOffset);
    case 'version':
      return versionFilter(condition, vocabulary) ?? valueFilter(condition, known, vocabulary);
    case 'number':
    case 'text':
      return valueFilter(condition, known, vocabulary);
    default:
      return known.kind satisfies never;
  }
}

function dateFilter({ field, operator, value }: ProposedCondition, utcOffset: number): Filter | undefined {
  const [period] = findPeriods(String(value));
  if (!period) return undefined;
  const range = operator === 'eq' ? period : limitsOf(period, operator);
  return timeFilter(field, limitsIn(field, range, utcOffset));
}

function versionFilter(
  { field, operator, value }: ProposedCondition,
  { values }: Vocabulary,
): Filter | undefined {
  // As a number, 1.30 would be 1.3.
  if (typeof value !== 'string' || kindOf(value) !== 'version') return undefined;
  const own = values.filter((known) => known.field === field);
  const within = versionsWithin(own, [[operator, value]]);
  return within.length === 0 ? undefined : oneOf(field, within);
}

function valueFilter(
  { field, operator, value }: ProposedCondition,
  { kind }: KnownField,
  { values }: Vocabulary,
): Filter | undefined {
  if (operator !== 'eq')
    return kind === 'number' && typeof value === 'number' ? test(field, operator, value) : undefined;
  const key = keyOf(value);
  const own = values.filter((known) => known.field === field && known.key === key);
  return own.length === 0
    ? undefined
    : oneOf(
        field,
        own.map((known) => known.value),
      );
}
