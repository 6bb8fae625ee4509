import { sentencesOf } from '../../text/sentences.ts';
import { STOP_WORDS } from '../../text/stop-words.ts';
import { fold } from '../../text/tokens.ts';
import { keyOf, WORD } from '../short-texts.ts';
import { truncate } from '../../text/truncate.ts';
import { calendarValues, type Value } from './calendar.ts';
import { isPastEvent, isUnsure, saysChange, setsValue } from './cues.ts';
import { quantities } from './quantities.ts';

/** A word of a sentence that can show what the sentence is about. */
export interface Subject {
  readonly text: string;
  /** Its form for comparison: folded, stemmed, and one word for words that mean the same here. */
  readonly key: string;
  readonly isName: boolean;
  /** UTF-16 offset in the sentence. */
  readonly start: number;
}

/** One sentence of a memory and what it says, in the form in which sentences are compared. */
export interface Sentence {
  readonly text: string;
  readonly subjects: ReadonlyMap<string, Subject>;
  /** Subjects of the sentences around it that it does not name itself. */
  readonly around: ReadonlyMap<string, Subject>;
  readonly values: readonly Value[];
  /** Says that something is new, has changed or has ended. */
  readonly saysChange: boolean;
  readonly setsValue: boolean;
  /** A question, condition or idea: asserts nothing. */
  readonly isUnsure: boolean;
  readonly isPast: boolean;
}

/** What a memory says, with indexes so that two memories are compared without looking at all pairs of sentences. */
export interface SentenceIndex {
  readonly sentences: readonly Sentence[];
  readonly texts: ReadonlySet<string>;
  /** Whether the memory is a note of a few sentences, which is about one thing. */
  readonly isNote: boolean;
  /** Indexes of the sentences that have a value of a key, or name a subject. */
  readonly byValue: ReadonlyMap<string, readonly number[]>;
  readonly bySubject: ReadonlyMap<string, readonly number[]>;
}

/** Words that name the same thing in notes about limits, prices, owners and the like. */
const SAME: ReadonlyMap<string, string> = new Map(
  [
    'limit quota ceil cap maximum max budget allow threshold throttl',
    'price cost fee charg rent tariff',
    'owner own maintain maintainer respons',
    'call phone ring telephon rang',
    'mail e-mail email inbox',
    'appoint termin cita rendez-v',
    'request req',
    'kid children child',
    'retri repeat tri',
    'deliveri deliv',
    'pick-up pickup collect',
    'login logins sign-in sign-on sso',
    'remind reminder nudg',
  ].flatMap((group) => {
    const [first, ...others] = group.split(' ') as [string, ...string[]];
    return others.map((word) => [word, first] as const);
  }),
);

/** Words of so many notes that sharing them says little. */
const COMMON = new Set(
  (
    'new time day week month year today user assist agent thing use work way pleas note first second third last next good need want make ' +
    'take go get name number list one two three four everi like also still onli back set start end run chang updat move ' +
    'dr mr mrs ms frau herr say said tell told ask thank yes ok sure help know think see look find put give let come keep ' +
    'and plus around about sinc until alreadi yet becaus just realli lot much monday tuesday wednesday thursday friday saturday sunday old current default ' +
    'der die das den dem des ein eine einen einem und ist sind war im am zum zur von mit bei auf für auch aus sich wird wir er sie es ' +
    'el la los las un una y son de del al con por para en que se su lo le les du et est sont avec pour dans au aux il gli di che ' +
    'per sono os as um uma e da do dos em no na com para het een van met op voor naar'
  ).split(' '),
);

/** Sentences per step: about a millisecond. */
const stepLength = 8;

/**
 * The sentences of a text, in steps so that a caller can let other work run between them. Linear in its length up to the bound of
 * `splitSentences`, constant beyond it.
 */
export function* indexSteps(text: string): Generator<undefined, SentenceIndex, undefined> {
  const bare: BareSentence[] = [];
  for (const part of splitSentences(text)) {
    bare.push(withAntecedents(sentenceOf(part), bare.at(-1)));
    if (bare.length % stepLength === 0) yield;
  }
  const sentences = bare.map((sentence, index) => ({ ...sentence, around: around(bare, index) }));
  const byValue = new Map<string, number[]>();
  const bySubject = new Map<string, number[]>();
  for (const [index, { values, subjects }] of sentences.entries()) {
    for (const key of new Set(values.map(({ key }) => key))) put(byValue, key, index);
    for (const key of subjects.keys()) put(bySubject, key, index);
  }
  const texts = new Set(sentences.map(({ text: written }) => written));
  return { sentences, texts, isNote: sentences.length <= noteLength, byValue, bySubject };
}

const PRONOUN = /(?:^|[,;]\s|\bthe \p{L}+ )(?:he|she|it|they|er|sie)\b/iu;

/** "He is in the Seal group" is about what the sentence before it names. */
function withAntecedents(sentence: BareSentence, before: BareSentence | undefined): BareSentence {
  if (!before || !PRONOUN.test(sentence.text)) return sentence;
  return { ...sentence, subjects: new Map([...before.subjects].map(outside).concat([...sentence.subjects])) };
}

/** A subject of another sentence stands before the first clause of this one. */
function outside([key, subject]: readonly [string, Subject]): [string, Subject] {
  return [key, { ...subject, start: -1 }];
}

/** A note of at most this many sentences is about one thing; in a longer text only the neighbours of a sentence are. */
const noteLength = 6;

function around(sentences: readonly BareSentence[], index: number): Map<string, Subject> {
  const neighbours =
    sentences.length <= noteLength ? sentences : sentences.slice(Math.max(0, index - 2), index + 2);
  const own = sentences[index]!.subjects;
  const found = new Map<string, Subject>();
  for (const { subjects } of neighbours)
    for (const [key, subject] of subjects) if (!own.has(key)) found.set(key, subject);
  return found;
}

type BareSentence = Omit<Sentence, 'around'>;

function sentenceOf(text: string): BareSentence {
  const dates = calendarValues(text);
  const values = [...dates, ...quantities(text, dates)];
  return {
    text,
    subjects: subjectsOf(text, values),
    values,
    saysChange: saysChange(text),
    setsValue: setsValue(text),
    isUnsure: isUnsure(text),
    isPast: isPastEvent(text),
  };
}

/** File names, dotted and snake-case identifiers, paths, numbers of flights and tickets. They begin where a word begins. */
const IDENTIFIER =
  /(?<![\p{L}\p{N}])(?:[\p{L}\p{N}]+(?:[._/][\p{L}\p{N}]+)+|\p{Lu}{2,5} \d{2,6}(?![\p{L}\p{N}]))/gu;

function subjectsOf(text: string, values: readonly Value[]): Map<string, Subject> {
  const subjects = new Map<string, Subject>();
  for (const { 0: identifier, index: start } of text.matchAll(IDENTIFIER))
    if (/\p{L}/u.test(identifier) && !values.some((value) => start >= value.start && start < value.end))
      subjects.set(fold(identifier), { text: identifier, key: fold(identifier), isName: true, start });
  for (const match of text.matchAll(WORD)) {
    const { index: start } = match;
    if (values.some((value) => start >= value.start && start < value.end)) continue;
    for (const { word, offset } of partsOf(match[0])) {
      const folded = keyOf(word.replace(/['’](?:s|ve|m|re|ll|d|t)?$/i, ''));
      const key = SAME.get(folded) ?? folded;
      if (STOP_WORDS.has(key) || key.length < 2 || /^\p{N}+$/u.test(key) || subjects.has(key)) continue;
      const isName = isNameIn(text, word, start);
      subjects.set(key, { text: word, key, isName, start: start + offset });
    }
  }
  return subjects;
}

/** In scripts without spaces a run of letters holds several words: runs of one script and pairs of Han characters count. */
function partsOf(word: string): { readonly word: string; readonly offset: number }[] {
  if (!/[\p{sc=Han}\p{sc=Katakana}\p{sc=Hiragana}]/u.test(word)) return [{ word, offset: 0 }];
  return [...word.matchAll(/[\p{sc=Katakana}ー]{2,}|(?=(\p{sc=Han}{2}))|[A-Za-z]{2,}/gu)].map((match) => ({
    word: match[1] ?? match[0],
    offset: match.index,
  }));
}

/** A capital inside the sentence, or a letter beside a digit, an underscore or a capital in the middle. */
function isNameIn(text: string, word: string, start: number): boolean {
  if (/[\p{N}_]|\p{Ll}\p{Lu}/u.test(word)) return true;
  if (/^\p{sc=Katakana}/u.test(word)) return true;
  if (/\b(?:Dr|Mr|Mrs|Ms|Prof|Sra?|Dra?|Frau|Herr)\.?\s$/.test(text.slice(Math.max(0, start - 6), start)))
    return true;
  return (
    /^\p{Lu}/u.test(word) && start > 0 && !/[.:!?"“(]\s*$/.test(text.slice(Math.max(0, start - 3), start))
  );
}

/** How much it says that two sentences share this subject. */
export function weightOf({ key, isName }: Subject): number {
  if (COMMON.has(key)) return 0;
  return isName ? 1.25 : 1;
}

/** Whether a sentence has the subject too, and both with a capital, though it may only start the sentences. */
export function hasCapitals(subject: Subject, other: Sentence): boolean {
  const same = other.subjects.get(subject.key);
  return (
    same !== undefined &&
    weightOf(subject) > 0 &&
    [subject, same].every(({ text }) => /^[\p{Lu}\p{Lo}]/u.test(text))
  );
}

function put(map: Map<string, number[]>, key: string, index: number): void {
  const known = map.get(key);
  if (known) known.push(index);
  else map.set(key, [index]);
}

/** Maximum number of UTF-16 units of a memory that are compared, so that one long memory does not take too much time. */
const maxLength = 32_768;
const maxSentences = 300;
/** In UTF-16 units. Longer sentences are cut. */
const maxSentenceLength = 600;

/** Ends of clauses, and of parts of a list or table within a line. */
const CLAUSE_END = /[|·•]|(?<=[;…]["”)]?)\s/u;

/** Marks of speakers and lists at the start of a line. */
const LEAD =
  /^\s*(?:[-*>#]+\s+|\d{1,3}[.)]\s+)*(?:(?:user|assistant|agent|human|ai)(?:\s*\([^)]{0,40}\))?:\s+)?/i;

/** The sentences and clauses of a text, as they are written and in their order: the first 300 of its first 32,768 UTF-16 units. */
function splitSentences(text: string): string[] {
  const compared = truncate(text, maxLength);
  return sentencesOf(compared)
    .flatMap(({ start, end }) => compared.slice(start, end).split(CLAUSE_END))
    .map((part) => truncate(part.replace(LEAD, '').trim(), maxSentenceLength))
    .filter(({ length }) => length > 2)
    .slice(0, maxSentences);
}
