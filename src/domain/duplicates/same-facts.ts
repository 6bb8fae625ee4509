import { factText, type FactText } from './fact-tokens.ts';

/** Longer texts, in UTF-16 units, are only compared as a whole: the comparison takes the square of their words. */
const maxLength = 8_000;

/**
 * Whether two texts say the same facts: no number, unit, date, name, negation, quantifier or other word that carries a fact is in one of
 * them only, and nobody and nothing has changed places. Words are compared as they are, not by their meaning: what says yes is nearly
 * always right, and a wording with other words is missed. Symmetric.
 */
export function haveSameFacts(left: string, right: string): boolean {
  if (left.length > maxLength || right.length > maxLength) return left === right;
  const [own, other] = [factText(left), factText(right)];
  return (
    own.tokens.length > 0 &&
    haveSameWords(own, other) &&
    haveSameNumbers(own, other) &&
    haveSameTimes(own, other) &&
    !areInOtherSequence(own, other) &&
    !areInOtherSequence(other, own) &&
    haveSameForms(own, other) &&
    !isExchanged(own, other)
  );
}

/** The same words; negations as often, because two of them cancel each other. */
function haveSameWords(left: FactText, right: FactText): boolean {
  const keysOf = ({ tokens }: FactText) => new Set(tokens.map(({ kind, key }) => `${kind} ${key}`));
  const negationsOf = ({ tokens }: FactText) =>
    tokens.filter(({ kind, key }) => kind === 'decisive' && key === 'not').length;
  const [own, other] = [keysOf(left), keysOf(right)];
  return (
    own.size === other.size &&
    [...own].every((key) => other.has(key)) &&
    negationsOf(left) === negationsOf(right)
  );
}

/** Numbers count as often as they occur, and those before the same word come in the same order. */
function haveSameNumbers(left: FactText, right: FactText): boolean {
  const byUnit = ({ tokens }: FactText) => {
    const numbers = new Map<string, string>();
    for (const [index, { kind, key }] of tokens.entries()) {
      if (kind !== 'number') continue;
      const unit = tokens[index + 1]?.key ?? '';
      numbers.set(unit, `${numbers.get(unit) ?? ''} ${key}`);
    }
    return numbers;
  };
  const all = ({ tokens }: FactText) =>
    tokens
      .flatMap(({ kind, key }) => (kind === 'number' ? [key] : []))
      .sort()
      .join(' ');
  if (all(left) !== all(right)) return false;
  const other = byUnit(right);
  return [...byUnit(left)].every(([unit, numbers]) => {
    const others = other.get(unit);
    return others === undefined || others.length !== numbers.length || others === numbers;
  });
}

function haveSameTimes({ tense: left }: FactText, { tense: right }: FactText): boolean {
  return left === undefined || right === undefined || left === right;
}

/** Whether something that comes before a "then" in one text comes after one in the other. */
function areInOtherSequence(left: FactText, right: FactText): boolean {
  return left.sequences.some(([before]) =>
    right.sequences.some(([, after]) => [...before].some((key) => after.has(key))),
  );
}

/** Words that occur once have no other preposition before them, and verbs are not past or passive in one text only. */
function haveSameForms(left: FactText, right: FactText): boolean {
  const [own, other] = [placesOf(left), placesOf(right)];
  for (const [key, place] of own) {
    const otherPlace = other.get(key);
    if (otherPlace === undefined) continue;
    const [one, two] = [left.tokens[place]!, right.tokens[otherPlace]!];
    if (one.preposition !== undefined && two.preposition !== undefined && one.preposition !== two.preposition)
      return false;
    if (one.form !== two.form && one.form !== 'ing' && two.form !== 'ing') return false;
    const subject = neighbour(left, place, -1);
    const isPassive = one.form === 'past' && two.form === 'past' && one.isAfterBe !== two.isAfterBe;
    if (isPassive && subject !== '^' && subject === neighbour(right, otherPlace, -1)) return false;
  }
  return true;
}

/**
 * Whether two things have changed places: each stands where the other one stood, beside the same word ("Heron is helm and Plover is
 * mechanic", "A pays B"). Takes the square of the number of distinct words.
 */
function isExchanged(left: FactText, right: FactText): boolean {
  const [own, other] = [placesOf(left), placesOf(right)];
  const once = [...own].filter(([key]) => other.has(key));
  return once.some(([one, leftOne], index) =>
    once.slice(index + 1).some(([two, leftTwo]) => {
      const [rightOne, rightTwo] = [other.get(one)!, other.get(two)!];
      return (
        left.tokens[leftOne]!.kind === left.tokens[leftTwo]!.kind &&
        leftOne < leftTwo !== rightOne < rightTwo &&
        takesPlace(left, leftOne, right, rightTwo) &&
        takesPlace(left, leftTwo, right, rightOne) &&
        !isReworded(left, [leftOne, leftTwo], right, [rightOne, rightTwo])
      );
    }),
  );
}

function takesPlace(left: FactText, own: number, right: FactText, other: number): boolean {
  return ([-1, 1] as const).some((side) => neighbour(left, own, side) === neighbour(right, other, side));
}

/** Neighbours that a wording may turn: "A and B" is "B and A", "the key of the shed" is "the shed key", and "series C" is "the C series". */
function isReworded(
  left: FactText,
  own: readonly [number, number],
  right: FactText,
  other: readonly [number, number],
): boolean {
  if (Math.abs(own[0] - own[1]) !== 1 || Math.abs(other[0] - other[1]) !== 1) return false;
  const joints = [left.tokens[Math.max(...own)]!.joint, right.tokens[Math.max(...other)]!.joint].join();
  if (joints === 'and,and' || joints === 'none,of' || joints === 'of,none') return true;
  return joints === 'none,none' && own.some((place) => left.tokens[place]!.isLetter);
}

/** The key beside a token within its sentence; `^` and `$` at its ends. */
function neighbour({ tokens }: FactText, index: number, side: -1 | 1): string {
  const other = tokens[index + side];
  if (other?.sentence === tokens[index]!.sentence) return other.key;
  return side < 0 ? '^' : '$';
}

/** The places of what occurs once, without decisive words. */
function placesOf({ tokens }: FactText): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  const repeated = new Set<string>();
  for (const [place, { key, kind }] of tokens.entries())
    if (kind === 'decisive') continue;
    else if (places.has(key)) repeated.add(key);
    else places.set(key, place);
  for (const key of repeated) places.delete(key);
  return places;
}
