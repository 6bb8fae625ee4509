import { areChoices, areColours, areOpposite } from './alternatives.ts';
import type { Assertion, NegatedAssertion } from './assertions.ts';
import { mayOverlap } from './place-names.ts';
import type { Token } from './passages.ts';
import { datesDiffer, isDatePart, isNumeral, numbersDiffer } from './values.ts';
import type { Difference } from './verdict.ts';

export interface Conflict {
  readonly difference: Difference;
  readonly words: readonly [string, string];
  readonly confidence: number;
}

/** Where two assertions differ, between the same words. */
interface Contrast {
  /** With a space behind each word. */
  readonly before: string;
  readonly left: readonly Token[];
  readonly right: readonly Token[];
  readonly own: readonly string[];
  readonly others: readonly string[];
  readonly after: readonly string[];
}

/** A predicate that has one value at a time, and the values of it that exclude each other. */
interface Predicate {
  readonly difference: Difference;
  readonly confidence: number;
  /** Ends what both say before the value: the subject stands in front. */
  readonly before: RegExp;
  readonly excludes: (contrast: Contrast) => boolean;
}

/** A person may have two jobs, a project two databases, a car two colours. */
const unsure = 0.5;

const one =
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
    confidence: unsure,
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
    confidence: unsure,
    before: /. works (?:at|for) $|^i work (?:at|for) $/,
    excludes: (contrast) => areNames(contrast) && contrast.after.length === 0,
  },
  {
    difference: 'name',
    confidence: 0.6,
    // What there is one of: friends and customers are several, and "the cook is" goes on with Italian as well as with Anna.
    before:
      /(?:^|. )(?:lead|leader|owner|manager|boss|ceo|cto|cfo|director|chair|president|capital|database|winner|name|region|timezone|currency|husband|wife|mother|father|birthplace|hometown|headquarters|(?:default|main|primary|native) \S+)(?: (?:of|for) .+)? is(?: now| currently)? $/,
    excludes: (contrast) => areNames(contrast) && contrast.after.length === 0,
  },
  {
    difference: 'word',
    confidence: 0.8,
    before: /. (?:is|are|am)(?: (?:now|currently|always|set to|turned|switched))? $/,
    excludes: (contrast) =>
      one(areOpposite)(contrast) && (contrast.after.length === 0 || !isParticle(contrast.own[0]!)),
  },
  {
    difference: 'word',
    confidence: unsure,
    // In the plural some may be red and others green.
    before: /. is(?: now| currently)? $/,
    excludes: (contrast) => one(areColours)(contrast) && contrast.after.length === 0,
  },
  {
    difference: 'word',
    confidence: unsure,
    before: /. (?:uses|prefers) $|^(?:i|we) (?:use|prefer) $/,
    excludes: one(areChoices),
  },
];

/** How two short assertions of one subject exclude each other; undefined where both may hold, as far as a rule can tell. */
export function findConflict(left: Assertion, right: Assertion): Conflict | undefined {
  if (left.negated || right.negated) {
    if (left.negated && right.negated) return undefined;
    const isDenied = left.negated ? negates(left.negated, right) : negates(right.negated!, left);
    if (!isDenied) return undefined;
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

/** Word for word, but for articles, and the ending of a verb behind "does": "does not use" negates "uses", not "used". */
function negates({ words, verb }: NegatedAssertion, { words: claimed }: Assertion): boolean {
  const asserted =
    verb === undefined ? [words] : inflected(words[verb]!).map((form) => words.with(verb, form));
  const plain = bare(claimed);
  const always = bare(claimed.filter((word) => word !== 'always'));
  return asserted.map(bare).some((each) => each === plain || each === always);
}

function bare(words: readonly string[]): string {
  return words.filter((word) => !['a', 'an', 'any'].includes(word)).join(' ');
}

function inflected(verb: string): string[] {
  return verb === 'have' ? ['has'] : [`${verb}s`, `${verb}es`, verb.replace(/y$/, 'ies')];
}

/** Where assertions differ, with all of a value that goes on to either side of it: of "3 May" and "4 May" the month too. */
function contrastOf(left: Assertion, right: Assertion, goesOn: (word: string) => boolean): Contrast {
  const [own, others] = [left.words, right.words];
  const shortest = Math.min(own.length, others.length);
  let start = 0;
  while (start < shortest && own[start] === others[start]) start++;
  let end = 0;
  while (end < shortest - start && own.at(-1 - end) === others.at(-1 - end)) end++;
  while (start > 0 && goesOn(own[start - 1]!)) start--;
  while (end > 0 && goesOn(own.at(-end)!)) end--;
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

/** A year alone is a number, unless something says that it is a time. */
function isYear(words: readonly string[]): boolean {
  return words.length === 1 && /^\d{4}$/.test(words[0]!);
}

/** Behind "is", "on" and "up" begin a place as well as they end a assertion. */
function isParticle(word: string): boolean {
  return ['on', 'off', 'up', 'down'].includes(word);
}

function areNames({ left, right }: Contrast): boolean {
  return [left, right].every(
    (tokens) => tokens.length > 0 && tokens.length < 4 && tokens.every(({ text }) => /^\p{Lu}/u.test(text)),
  );
}
