import { saysTheSame, type Value } from './calendar.ts';
import { weightOf, type Sentence, type SentenceIndex, type Subject } from './sentence-index.ts';
import { commonSupport, sharedSubjects, type Comparison, type Update } from './support.ts';

/** The key of numbers without a unit. */
const plain = 'number';
const mostPairs = 400;
/** Minimum weight of the subjects that the sentences themselves share, for dates and durations, which can be about anything. */
const minOwn = 2;
const minSupport = 2.5;
const minSupportUnsaid = 3.25;

/** Ends of a clause: what stands between two of them belongs together. */
const CLAUSE_END = /[,;()–—]|\s-+>?\s|→|\s(?:and|then|but|und|y|et)\s/gu;

/** Sentences about the same thing with another number, date, time or version. */
export function changedValues(comparison: Comparison): Update[] {
  const { older, newer } = comparison;
  const updates: Update[] = [];
  let compared = 0;
  for (const [key, rights] of newer.byValue)
    for (const right of rights)
      for (const [olderKey, left] of candidates(older, key, newer.sentences[right]!)) {
        if (++compared > mostPairs) return updates;
        const update = changedValue(
          comparison,
          [olderKey, key],
          older.sentences[left]!,
          newer.sentences[right]!,
        );
        if (update) updates.push(update);
      }
  return updates;
}

/**
 * The sentences to compare with a newer one. If it sets a value with a unit, the older one can have left the unit out: "Budget: 280",
 * "raised to 310 kB".
 */
function candidates(
  older: SentenceIndex,
  key: string,
  newer: Sentence,
): (readonly [key: string, sentence: number])[] {
  const keys = newer.setsValue && !isCalendar(key) && key !== plain ? [key, plain] : [key];
  return keys.flatMap((each) => (older.byValue.get(each) ?? []).map((sentence) => [each, sentence] as const));
}

function changedValue(
  comparison: Comparison,
  [olderKey, key]: readonly [string, string],
  older: Sentence,
  newer: Sentence,
): Update | undefined {
  if (older.isUnsure || newer.isUnsure) return undefined;
  const areNotes = comparison.older.isNote && comparison.newer.isNote;
  if (!newer.saysChange) {
    // Minutes of meetings and logs repeat a title with another date, and long texts name many numbers.
    if (!areNotes || key === 'date' || key === 'month') return undefined;
    if (!key.startsWith('~') && (older.isPast || newer.isPast)) return undefined;
  }
  if (nameOthers(older, newer)) return undefined;
  const pair = comparedPair([olderKey, key], older, newer);
  if (!pair) return undefined;
  const shared = sharedSubjects(older, newer);
  const own = pair.inClause === undefined ? shared.own : pair.inClause + Math.min(1, shared.own / 2);
  if (shared.words.length === 0 || own < leastOwn([olderKey, key], areNotes, shared.isCovered))
    return undefined;
  const support =
    own +
    shared.around +
    commonSupport(comparison, newer) +
    (newer.setsValue ? 0.5 : 0) +
    (isSpecific(key) || isMoney(key) || olderKey === plain ? 0.5 : 0) +
    (shared.isCovered ? 0.5 : 0) +
    pair.bonus;
  if (support < (newer.saysChange ? minSupport : minSupportUnsaid)) return undefined;
  return {
    difference: isCalendar(key) ? 'date' : 'number',
    words: [wordsOf(older, pair.left), wordsOf(newer, pair.right)],
    passages: [older.text, newer.text],
    shared: shared.words.slice(0, 4),
    support,
  };
}

/** Whether both sentences name things by a number (a flight, a ticket) but none in common. */
function nameOthers(older: Sentence, newer: Sentence): boolean {
  const [own, others] = [older, newer].map(({ subjects }) =>
    [...subjects.keys()].filter((key) => /\p{L}/u.test(key) && /\p{N}/u.test(key)),
  ) as [string[], string[]];
  return own.length > 0 && others.length > 0 && !own.some((key) => others.includes(key));
}

/** Minimum weight of the subjects that the sentences themselves share. It is lower for values that tell what they are about. */
function leastOwn([olderKey, key]: readonly [string, string], areNotes: boolean, isCovered: boolean): number {
  if (!areNotes) return minOwn;
  if (isSpecific(key)) return 0;
  const isTimed = isCalendar(key) || key === 'duration';
  return olderKey === plain || !isTimed || isCovered ? 1 : minOwn;
}

interface ComparedPair {
  readonly left: Value;
  readonly right: Value;
  readonly bonus: number;
  /** Weight of the subjects that the clauses of the values share, if one of the sentences has several values. */
  readonly inClause?: number;
}

/**
 * The values of a key to compare in two sentences; undefined if they are the same. If a sentence has several, those are chosen whose
 * clauses share most; undefined if the sentences have any value in common. A newer sentence that names the old value as the former one
 * ("from 300 to 600") gets a bonus.
 */
function comparedPair(
  [olderKey, key]: readonly [string, string],
  older: Sentence,
  newer: Sentence,
): ComparedPair | undefined {
  const lefts = currentAndFormer(olderKey, older).values;
  const { values: rights, former } = currentAndFormer(key, newer);
  const [left, right] = [lefts[0], rights[0]];
  if (!left || !right) return undefined;
  if (!isList(older) && !isList(newer) && distinct(lefts) === 1 && distinct(rights) === 1)
    return saysTheSame(left, right) ? undefined : { left, right, bonus: confirms(former, left) };
  if (lefts.some((own) => rights.some((other) => saysTheSame(own, other)))) return undefined;
  let best: (ComparedPair & { readonly overlap: number }) | undefined;
  for (const own of lefts.slice(0, 8))
    for (const other of rights.slice(0, 8)) {
      const overlap = clauseOverlap(older, own, newer, other, distinct(rights) === 1);
      if (overlap > (best?.overlap ?? 0))
        best = { left: own, right: other, bonus: confirms(former, own), overlap, inClause: overlap };
    }
  return best;
}

function confirms(former: readonly Value[], left: Value): number {
  return former.some((value) => saysTheSame(value, left)) ? 2 : 0;
}

function distinct(values: readonly Value[]): number {
  return new Set(values.map(({ value }) => value)).size;
}

/** Whether the value is that of a condition or a limit in time: "until the flag is at 100 %". */
function isConditional({ text }: Sentence, value: Value): boolean {
  const before = text.slice(Math.max(0, value.start - 60), value.start);
  const clause = before.slice(Math.max(before.lastIndexOf(','), before.lastIndexOf(';')) + 1);
  return /\b(?:if|when|once|until|till|unless|above|below|over|under|before|bis|hasta|wenn)\b/iu.test(clause);
}

interface CurrentAndFormer {
  readonly values: readonly Value[];
  readonly former: readonly Value[];
}

/** By sentence and key: a sentence is compared with many others. */
const knownValues = new WeakMap<Sentence, Map<string, CurrentAndFormer>>();

/** In "from 300 to 600" and "412 -> 268", the first value is the former one. */
function currentAndFormer(key: string, sentence: Sentence): CurrentAndFormer {
  const known = knownValues.get(sentence) ?? new Map<string, CurrentAndFormer>();
  knownValues.set(sentence, known);
  const found = known.get(key) ?? findCurrentAndFormer(key, sentence);
  known.set(key, found);
  return found;
}

function findCurrentAndFormer(key: string, sentence: Sentence): CurrentAndFormer {
  const all = sentence.values.filter((value) => value.key === key && !isConditional(sentence, value));
  const numbers = sentence.values.toSorted((a, b) => a.start - b.start);
  const former = numbers.filter((value, index) => {
    const next = numbers[index + 1];
    if (!next) return false;
    const between = sentence.text.slice(value.end, next.start);
    const before = sentence.text.slice(Math.max(0, value.start - 14), value.start);
    return (
      /^\s*(?:\S+\s+)?(?:->|→|=>)\s*$/.test(between) ||
      (/\b(?:from|von|de|di|da)\s(?:the\s)?(?:\p{L}+\s)?$/iu.test(before) &&
        /^\s*(?:\S+\s+){0,2}(?:to|auf|a|à|bis)\s*$/.test(between))
    );
  });
  return { values: all.filter((value) => !former.includes(value)), former };
}

/** Whether a sentence lists several days, each with something else. */
function isList({ values }: Sentence): boolean {
  return ['date', 'weekday', 'month'].some(
    (key) => distinct(values.filter((value) => value.key === key)) > 2,
  );
}

/**
 * Weight of the subjects that the clauses of two values share, less that of names which only the older clause has. If the newer
 * sentence has one value, subjects of its other clauses count too.
 */
function clauseOverlap(older: Sentence, left: Value, newer: Sentence, right: Value, isOnly: boolean): number {
  const other = isOnly ? newer.subjects : clauseSubjects(newer, right);
  let weight = 0;
  for (const [key, subject] of clauseSubjects(older, left)) {
    if (other.has(key)) weight += weightOf(subject);
    else if (subject.isName) weight -= weightOf(subject);
  }
  return weight;
}

/** By value: it is compared with many others. */
const knownSubjects = new WeakMap<Value, ReadonlyMap<string, Subject>>();

function clauseSubjects(sentence: Sentence, value: Value): ReadonlyMap<string, Subject> {
  const found = knownSubjects.get(value) ?? findClauseSubjects(sentence, value);
  knownSubjects.set(value, found);
  return found;
}

function findClauseSubjects(sentence: Sentence, value: Value): ReadonlyMap<string, Subject> {
  const ends = knownEnds.get(sentence) ?? [...sentence.text.matchAll(CLAUSE_END)];
  knownEnds.set(sentence, ends);
  const last = ends.findLast((match) => match.index + match[0].length <= value.start);
  const start = last === undefined ? 0 : last.index + last[0].length;
  const end = ends.find(({ index }) => index >= value.end)?.index ?? sentence.text.length;
  return new Map(
    [...sentence.subjects].filter(([, subject]) => subject.start >= start && subject.start < end),
  );
}

const knownEnds = new WeakMap<Sentence, readonly RegExpExecArray[]>();

/** Whether a key names what is counted: a seat, a rate, a room. Dates, durations and percentages can be about anything. */
function isSpecific(key: string): boolean {
  return key.startsWith('#') || key.startsWith('~') || key.includes('per ') || key === 'version';
}

/** Whether a key is the ISO code of a currency in lower case. */
function isMoney(key: string): boolean {
  return /^[a-z]{3}$/.test(key);
}

function isCalendar(key: string): boolean {
  return key === 'date' || key === 'time' || key === 'weekday' || key === 'month';
}

function wordsOf({ text }: Sentence, { start, end }: Value): string {
  return text.slice(start, end);
}
