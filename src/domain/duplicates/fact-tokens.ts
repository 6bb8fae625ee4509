import { stem } from '../text/porter2.ts';
import {
  BE_FORMS,
  DECISIVE,
  EMPTY_WORDS,
  MULTIPLIERS,
  NUMBER_WORDS,
  PAST,
  PERSONS,
  PREPOSITIONS,
  PRESENT,
} from './fact-words.ts';

/** A word that carries a fact. */
export interface FactToken {
  readonly kind: 'word' | 'number' | 'decisive';
  /** The form in which it is compared. */
  readonly key: string;
  /** Number of its sentence. */
  readonly sentence: number;
  /** The preposition before it. */
  readonly preposition: string | undefined;
  /** What joins it to the token before: nothing but articles, "of", or "and" and "or". Undefined if there are other words between. */
  readonly joint: 'none' | 'of' | 'and' | undefined;
  /** Whether it is a single capital, as in "series C". */
  readonly isLetter: boolean;
  readonly form: 'past' | 'ing' | 'plain';
  /** Whether a form of "be" is before it, so that a participle is passive. */
  readonly isAfterBe: boolean;
}

/** What the words of a text say, in order. */
export interface FactText {
  readonly tokens: readonly FactToken[];
  /** The tense of its auxiliary verbs; undefined if there are none, or of both. */
  readonly tense: 'present' | 'past' | undefined;
  /** The keys before each "then" and after it, within its sentence. */
  readonly sequences: readonly (readonly [before: ReadonlySet<string>, after: ReadonlySet<string>])[];
}

const UNSPACED = String.raw`[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]`;
const LETTER = String.raw`[[\p{L}\p{N}\p{M}_]--${UNSPACED}]`;
const WORD = new RegExp(
  [
    String.raw`(?<end>[.!?;](?=\s|$)|[\n。！？])`,
    String.raw`(?<sign>(?<![\p{L}\p{N}])[\-−](?=\p{N}))`,
    String.raw`(?<unspaced>${UNSPACED}+)`,
    String.raw`(?<digits>[vV]?\p{N}+(?:[.,:\/\-]\p{N}+)*(?!${LETTER}))`,
    String.raw`(?<word>${LETTER}+(?:['’.:@_\/\-]${LETTER}+)*)`,
    String.raw`(?<symbol>!=|[<>=≤≥≠+*%€\$£¥°\|\^~]+)`,
  ].join('|'),
  'gv',
);
/**
 * What is read of a script without spaces: what negates or limits, runs of Katakana, and each Chinese character. The rest is grammar
 * ("必ず" has the letter of a negation and is none).
 */
const UNSPACED_PART = new RegExp(
  String.raw`(?<not>ません|ない|なかった|なく|(?<!必)ず(?!っ))|(?<only>だけ|のみ|しか)|(?<word>[\p{sc=Katakana}ー]+|\p{sc=Han})`,
  'gv',
);

const articles = new Set(['a', 'an', 'the', 'one', 'der', 'die', 'das', 'den', 'dem', 'des']);
const lightVerb = /^(?:g[ai]v|ma[kd]|t[ao]+k|giv|put)/u;
const mustHave = new Set(['have', 'has', 'had', 'having']);

/** Reads what the words of a text say. Linear in its length, but for sentences with many a "then". */
export function factText(content: string): FactText {
  return new Reader().read(content);
}

class Reader {
  readonly #tokens: FactToken[] = [];
  readonly #sequences: [Set<string>, Set<string>][] = [];
  readonly #tenses = new Set<'present' | 'past'>();
  #sentence = 0;
  #sentenceStart = 0;
  /** The sequences of this sentence begin here. */
  #openSequences = 0;
  /** The words since the last token. */
  #between: string[] = [];
  #preposition: string | undefined;
  #isFirst = true;
  #isNegative = false;
  /** A number to which the next words may add, or which they multiply. */
  #open: number | undefined;

  read(content: string): FactText {
    for (const { groups } of content.normalize('NFKC').matchAll(WORD)) {
      const { end, sign, unspaced, digits, word, symbol } = groups!;
      if (end !== undefined) this.#endSentence();
      else if (sign !== undefined) this.#isNegative = true;
      else if (unspaced !== undefined) this.#readUnspaced(unspaced);
      else if (digits !== undefined) this.#readDigits(digits);
      else if (symbol !== undefined) this.#add('word', symbol === '%' ? 'percent' : symbol);
      else this.#readWord(word!);
      if (end === undefined) this.#isFirst = false;
    }
    const [tense] = this.#tenses.size === 1 ? this.#tenses : [];
    return {
      tokens: this.#tokens,
      sequences: this.#sequences.filter(([, after]) => after.size > 0),
      tense,
    };
  }

  #readWord(written: string): void {
    const word = written.toLowerCase().replace(/(?<=\p{L})['’]s$/u, '');
    if (isName(written, this.#isFirst)) return this.#add('word', `${word}.`, 'plain', true);
    const numbers = numbersOf(word);
    if (numbers) return numbers.forEach((value) => this.#addSpelled(value));
    const factor = MULTIPLIERS.get(word);
    if (factor !== undefined) return this.#multiply(factor);
    this.#open = undefined;
    if (/n['’]t$/u.test(word)) return this.#add('decisive', 'not');
    if (PRESENT.has(word)) this.#tenses.add('present');
    if (PAST.has(word)) this.#tenses.add('past');
    const preposition = PREPOSITIONS.get(word);
    if (word === 'to' && mustHave.has(this.#between.at(-1) ?? '')) return this.#add('decisive', 'must');
    // "Gives out" and "make up" are verbs of their own, which say no direction.
    const isParticle = (word === 'out' || word === 'up') && lightVerb.test(this.#between.at(-1) ?? '');
    const meaning = isParticle ? undefined : DECISIVE.get(word);
    if (meaning !== undefined) this.#add('decisive', meaning);
    if (preposition !== undefined) {
      this.#preposition = preposition;
      this.#between.push(word);
      return;
    }
    if (meaning !== undefined) return;
    const person = PERSONS.get(word);
    if (person !== undefined) return this.#add('word', person);
    if (word === 'then' || word === 'dann') return this.#startSequence();
    if (!EMPTY_WORDS.has(word) && !isParticle) return this.#add('word', stem(word), formOf(word));
    if (!articles.has(word)) this.#preposition = undefined;
    this.#between.push(word);
  }

  /** "Twenty five", "one hundred" and "two hundred five" are one number. */
  #addSpelled(value: number): void {
    const open = this.#open;
    const isPart =
      open !== undefined &&
      ((open % 100 === 0 && open > value) || (open < 100 && open >= 20 && open % 10 === 0 && value < 10));
    if (isPart) this.#replaceNumber(open + value);
    else this.#addNumber(String(value), value);
  }

  #multiply(factor: number): void {
    if (this.#open) this.#replaceNumber(this.#open * factor);
    else this.#addNumber(String(factor), factor);
  }

  /** "1,240.00" is 1240, and "10:00" is "ten"; a version keeps its zeros. */
  #readDigits(written: string): void {
    const isVersion = /^[vV]/.test(written) || /\..*\./.test(written);
    const plain = written.toLowerCase().replace(/^v/, '');
    const grouped = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(plain) ? plain.replaceAll(',', '') : plain;
    const shortest = isVersion
      ? grouped
      : grouped.replace(/^(\d+)\.(?:0+|(\d*?[1-9])0+)$/, '$1.$2').replace(/\.$/, '');
    const key = shortest.replace(/^0*(\d{1,2}):00$/, '$1');
    this.#addNumber(this.#isNegative ? `-${key}` : key, /^\d+$/.test(key) ? Number(key) : undefined);
    this.#isNegative = false;
  }

  #readUnspaced(run: string): void {
    for (const { groups } of run.matchAll(UNSPACED_PART)) {
      const { not, only, word } = groups!;
      if (not !== undefined) this.#add('decisive', 'not');
      else if (only !== undefined) this.#add('decisive', 'only');
      else this.#add('word', word!);
    }
  }

  #add(kind: FactToken['kind'], key: string, form: FactToken['form'] = 'plain', isLetter = false): void {
    this.#open = undefined;
    this.#push(kind, key, form, isLetter);
  }

  #addNumber(key: string, open: number | undefined): void {
    this.#push('number', key, 'plain');
    this.#open = open;
  }

  #replaceNumber(value: number): void {
    const last = this.#tokens.pop()!;
    this.#tokens.push({ ...last, key: String(value) });
    this.#open = value;
  }

  #push(kind: FactToken['kind'], key: string, form: FactToken['form'], isLetter = false): void {
    const isAfterBe = BE_FORMS.has(this.#between.at(-1) ?? '');
    const [sentence, preposition, joint] = [this.#sentence, this.#preposition, jointOf(this.#between)];
    this.#tokens.push({ kind, key, sentence, preposition, joint, isLetter, form, isAfterBe });
    this.#between = [];
    this.#preposition = undefined;
    for (const [before, after] of this.#sequences.slice(this.#openSequences))
      if (!before.has(key)) after.add(key);
  }

  #startSequence(): void {
    const own = this.#tokens.slice(this.#sentenceStart);
    this.#sequences.push([new Set(own.map(({ key }) => key)), new Set()]);
  }

  #endSentence(): void {
    this.#sentence++;
    this.#sentenceStart = this.#tokens.length;
    this.#openSequences = this.#sequences.length;
    this.#between = [];
    this.#open = this.#preposition = undefined;
    this.#isFirst = true;
  }
}

/** A single capital is a name, as in "from A to B", unless it is the article or the pronoun. */
function isName(written: string, isFirst: boolean): boolean {
  return /^\p{Lu}$/u.test(written) && written !== 'I' && !(isFirst && written === 'A');
}

function numbersOf(word: string): readonly number[] | undefined {
  const parts = word.split('-');
  const values = parts.map((part, index) => (index > 0 && part === 'one' ? 1 : NUMBER_WORDS.get(part)));
  return values.every((value) => value !== undefined) ? values : undefined;
}

function jointOf(between: readonly string[]): FactToken['joint'] {
  const words = between.filter((word) => !articles.has(word));
  if (words.length === 0) return 'none';
  if (words.length > 1) return undefined;
  if (words[0] === 'of') return 'of';
  return ['and', 'or', 'und', 'oder'].includes(words[0]!) ? 'and' : undefined;
}

function formOf(word: string): FactToken['form'] {
  if (word.endsWith('ing')) return 'ing';
  return word.endsWith('ed') && stem(word) !== word ? 'past' : 'plain';
}
