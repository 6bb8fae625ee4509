import type { Filter } from '../../filter.ts';
import { allOf, anyOf } from '../../build-filter.ts';
import type { Condition } from './conditions.ts';
import type { Follow, Operand } from '../plan.ts';
import type { Reading } from './reading.ts';
import { wholeResidue } from './residue.ts';
import { comparisonSides } from './comparison-sides.ts';
import { HISTORY, RELATED } from './request-words.ts';

/**
 * The searches that a question asks for: one per value if it names several values of a field ("SIG Node and SIG Auth"), or one
 * per side if it compares things without such values, each with the shared conditions; otherwise a single search.
 */
export function operandsOf(reading: Reading): Operand[] {
  const groups = groupsOf(reading.conditions);
  const count = Math.max(1, ...groups.map((group) => group.length));
  const follow = followed(reading);
  if (count === 1) {
    const sides = comparisonSides(reading);
    if (sides.length > 1)
      return sides.map(({ label, query }) => ({ label, query, ...strongestFirst(reading.conditions) }));
    const query = wholeResidue(reading);
    return [
      {
        label: reading.question.text,
        query,
        ...strongestFirst(reading.conditions),
        ...(follow && { follow }),
      },
    ];
  }
  // A field with as many values as there are operands gives each operand one: "alpha in 1.27 and beta in 1.30".
  const paired = groups.filter((group) => group.length === count);
  const shared = groups.filter((group) => group.length < count).map(alternatives);
  const query = wholeResidue(reading);
  return Array.from({ length: count }, (_, i) => {
    const own = paired.map((group) => group[i]!);
    return { label: own.map(({ label }) => label).join(', '), query, ...strongestFirst([...own, ...shared]) };
  });
}

/** Groups the conditions by field, in the order of the question. An unwanted condition is a group of its own. */
function groupsOf(conditions: readonly Condition[]): Condition[][] {
  const groups = new Map<string | Condition, Condition[]>();
  for (const condition of [...conditions].sort((a, b) => a.span.from - b.span.from)) {
    const key = condition.isUnwanted ? condition : condition.field;
    const group = groups.get(key);
    if (group) group.push(condition);
    else groups.set(key, [condition]);
  }
  return [...groups.values()];
}

function alternatives(group: readonly Condition[]): Condition {
  const [first] = group;
  return group.length === 1 ? first! : { ...first!, filter: anyOf(group.map(({ filter }) => filter)) };
}

/** A filter with all conditions, then weaker ones: with all loose readings, and without one of the unsure conditions. */
export function strongestFirst(
  conditions: readonly Pick<Condition, 'filter' | 'loose' | 'isSure'>[],
): Pick<Operand, 'filter' | 'otherwise'> {
  if (conditions.length === 0) return {};
  const loose = (list: typeof conditions) =>
    allOf(list.map((condition) => condition.loose ?? condition.filter));
  const unsure = conditions.filter(({ isSure }) => !isSure);
  const otherwise: Filter[] = [];
  if (conditions.some((condition) => condition.loose)) otherwise.push(loose(conditions));
  if (unsure.length > 0 && conditions.length > 1)
    otherwise.push(anyOf(unsure.map((left) => loose(conditions.filter((condition) => condition !== left)))));
  return {
    filter: allOf(conditions.map(({ filter }) => filter)),
    ...(otherwise.length > 0 && { otherwise }),
  };
}

/** What to follow if the question asks for what belongs to a named thing and not for the thing itself. */
function followed(reading: Reading): Follow | undefined {
  const name = reading.conditions.find(({ isName }) => isName);
  if (!name) return undefined;
  const asks = (pattern: RegExp) =>
    reading.question.tokens.some(
      ({ word }, i) =>
        (i < name.span.from || i >= name.span.to) && !reading.isInCondition(i) && pattern.test(word),
    );
  if (asks(RELATED)) return 'mentions';
  return asks(HISTORY) ? 'scope' : undefined;
}
