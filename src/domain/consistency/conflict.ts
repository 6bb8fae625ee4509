import { areChoices, areColours, areOpposite } from './alternatives.ts';
import type { Assertion, NegatedAssertion } from './assertions.ts';
import { mayOverlap } from './place-names.ts';
import type { Token } from './short-texts.ts';
import { datesDiffer, isDatePart, isNumeral, numbersDiffer } from './values.ts';
import type { Difference } from './verdict.ts';

/** How two texts exclude each other. `words` are the differing words of the left and the right one. */
export interface Conflict {
  readonly difference: Difference;
  readonly words: readonly [string, string];
  readonly confidence: number;
}

/** The words in which two assertions differ, and the shared words around them. */
interface Contrast {
  /** The shared words before the difference, each followed by a space. */
  readonly before: string;
  readonly left: readonly Token[];
  readonly right: readonly Token[];
  /** The normalized words of `left` and `right`. */
  readonly own: readonly string[];
  readonly others: readonly string[];
  readonly after: readonly string[];
}

/** A predicate that has only one value at a time. */
interface Predicate {
  readonly difference: Difference;
  readonly confidence: number;
  /** Must match the shared words before the value, with at least a character of the subject in front. */
  readonly before: RegExp;
  /** Whether the two values exclude each other. */
  readonly excludes: (contrast: Contrast) => boolean;
}

/** Confidence for predicates that can have several values: two jobs, two databases, two colours. */
const uncertain = 0.5;

const singleWords =
  (excludes: (left: string, right: string) => boolean) =>
  ({ own, others }: Contrast): boolean =>
    own.length === 1 && others.length === 1 && excludes(own[0]!, others[0]!);

const PREDICATES: readonly Predicate[] = [
  {
    difference: 'date',
    confidence: 0.8,
    before:
      /. (?:(?:is|was)(?: now)?(?: (?:due|scheduled|planned|set|born|founded|released|launched))?|starts|begins|ends|expires|launches)(?: (?:on|in|by|for))? $/,
    excludes: ({ before, own, others }) =>
      datesDiffer(own, others) && (/ (?:on|in|by|for) $/.test(before) || !isYear(own)),
  },
  {
    difference: 'number',
    confidence: 0.8,
    before:
      /. (?:(?:is|am|equals|costs|weighs)(?: (?:now|currently|exactly|set to|at))*|(?:starts|begins|ends) at) $/,
    excludes: ({ own, others }) => numbersDiffer(own, others),
  },
  {
    difference: 'number',
    confidence: uncertain,
    before: /. (?:has|have) $/,
    excludes: ({ own, others, after }) => after.length > 0 && numbersDiffer(own, others),
  },
  {
    difference: 'name',
    confidence: 0.6,
    before:
      /. (?:lives|was born) in $|^(?:.* )?i (?:now |currently )?live in $|. (?:is|am|are) (?:based|located|hosted) in $/,
    excludes: (contrast) =>
      areNames(contrast) &&
      contrast.after.every((word) => word === 'now') &&
      !mayOverlap(contrast.own.join(' '), contrast.others.join(' ')),
  },
  {
    difference: 'name',
    confidence: uncertain,
    before: /. works (?:at|for) $|^i work (?:at|for) $/,
    excludes: (contrast) => areNames(contrast) && contrast.after.length === 0,
  },
  {
    difference: 'name',
    confidence: 0.6,
    // Only roles and properties with one value. People have several friends, and "the cook is" can continue with Italian or Anna.
    before:
      /(?:^|. )(?:lead|leader|owner|manager|boss|ceo|cto|cfo|director|chair|president|capital|database|winner|name|region|timezone|currency|husband|wife|mother|father|birthplace|hometown|headquarters|(?:default|main|primary|native) \S+)(?: (?:of|for) .+)? is(?: now| currently)? $/,
    excludes: (contrast) => areNames(contrast) && contrast.after.length === 0,
  },
  {
    difference: 'word',
    confidence: 0.8,
    before: /. (?:is|are|am)(?: (?:now|currently|always|set to|turned|switched))? $/,
    excludes: (contrast) =>
      singleWords(areOpposite)(contrast) && (contrast.after.length === 0 || !isParticle(contrast.own[0]!)),
  },
  {
    difference: 'word',
    confidence: uncertain,
    // Singular only: in the plural, some can be red and others green.
    before: /. is(?: now| currently)? $/,
    excludes: (contrast) => singleWords(areColours)(contrast) && contrast.after.length === 0,
  },
  {
    difference: 'word',
    confidence: uncertain,
    before: /. (?:uses|prefers) $|^(?:i|we) (?:use|prefer) $/,
    excludes: singleWords(areChoices),
  },
];

/** How two assertions about one subject exclude each other; undefined if no rule says that they do. */
export function findConflict(left: Assertion, right: Assertion): Conflict | undefined {
  if (left.negated || right.negated) {
    if (left.negated && right.negated) return undefined;
    const isNegated = left.negated ? negates(left.negated, right) : negates(right.negated!, left);
    if (!isNegated) return undefined;
    const contrast = contrastOf(left, right, () => false);
    return { difference: 'negation', words: wordsOf(contrast), confidence: 0.8 };
  }
  for (const { difference, confidence, before, excludes } of PREDICATES) {
    const contrast = contrastOf(left, right, difference === 'date' ? isDatePart : isNumeral);
    const [own, others] = [contrast.own.join(' '), contrast.others.join(' ')];
    if (own === others || own === '' || others === '') continue;
    if (contrast.after.some((word) => word === 'or' || word === 'and')) continue;
    if (before.test(contrast.before) && excludes(contrast))
      return { difference, words: wordsOf(contrast), confidence };
  }
  return undefined;
}

/** Whether `negated` has the same words as `assertion`, apart from articles and the verb ending: "does not use" negates "uses", not "used". */
function negates({ words, verb }: NegatedAssertion, { words: assertedWords }: Assertion): boolean {
  const variants =
    verb === undefined ? [words] : inflected(words[verb]!).map((form) => words.with(verb, form));
  const plain = withoutArticles(assertedWords);
  const withoutAlways = withoutArticles(assertedWords.filter((word) => word !== 'always'));
  return variants.map(withoutArticles).some((variant) => variant === plain || variant === withoutAlways);
}

function withoutArticles(words: readonly string[]): string {
  return words.filter((word) => !['a', 'an', 'any'].includes(word)).join(' ');
}

/** Forms of the third person singular of a verb. */
function inflected(verb: string): string[] {
  return verb === 'have' ? ['has'] : [`${verb}s`, `${verb}es`, verb.replace(/y$/, 'ies')];
}

/**
 * Strips the shared words at the start and the end of two assertions. Shared words next to the difference that belong to the
 * value are kept: for "3 May" and "4 May" the difference includes the month.
 */
function contrastOf(left: Assertion, right: Assertion, isPartOfValue: (word: string) => boolean): Contrast {
  const [own, others] = [left.words, right.words];
  const shortest = Math.min(own.length, others.length);
  let start = 0;
  while (start < shortest && own[start] === others[start]) start++;
  let end = 0;
  while (end < shortest - start && own.at(-1 - end) === others.at(-1 - end)) end++;
  while (start > 0 && isPartOfValue(own[start - 1]!)) start--;
  while (end > 0 && isPartOfValue(own.at(-end)!)) end--;
  const middle = <T>(items: readonly T[]) => items.slice(start, items.length - end);
  return {
    before: own
      .slice(0, start)
      .map((word) => `${word} `)
      .join(''),
    left: middle(left.tokens),
    right: middle(right.tokens),
    own: middle(own),
    others: middle(others),
    after: own.slice(own.length - end),
  };
}

function wordsOf({ left, right }: Contrast): readonly [string, string] {
  const textOf = (tokens: readonly Token[]) => tokens.map(({ text }) => text).join(' ');
  return [textOf(left), textOf(right)];
}

/** Whether the words are a year only, which can also be a plain number. */
function isYear(words: readonly string[]): boolean {
  return words.length === 1 && /^\d{4}$/.test(words[0]!);
}

/** After "is", these words can begin a place ("is on the table") or be a state ("is on"). */
function isParticle(word: string): boolean {
  return ['on', 'off', 'up', 'down'].includes(word);
}

function areNames({ left, right }: Contrast): boolean {
  return [left, right].every(
    (tokens) => tokens.length > 0 && tokens.length < 4 && tokens.every(({ text }) => /^\p{Lu}/u.test(text)),
  );
}
