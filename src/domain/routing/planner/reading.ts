import { stem } from '../../text/porter2.ts';
import type { Condition } from './conditions.ts';
import { readQuestion, written, type Question, type Span } from './question.ts';
import type { KnownField, KnownValue, Vocabulary } from '../vocabulary.ts';

/** How many words away from a value the name of its field may be. */
export interface Reach {
  readonly before: number;
  readonly after: number;
}

const NEAR: Reach = { before: 3, after: 2 };

/** The state of reading a question: each rule marks the words that it understood, and the next rule sees only the rest. */
export class Reading {
  readonly question: Question;
  readonly conditions: Condition[] = [];
  readonly fields: readonly KnownField[];
  readonly #byField: ReadonlyMap<string, KnownField>;
  readonly #byKey = new Map<string, KnownValue[]>();
  readonly #byName = new Map<string, KnownValue[]>();
  readonly #names = new Map<string, ReadonlySet<string>>();
  /** By token: whether it is part of a condition, so that the search texts need not contain it. */
  readonly #inCondition: boolean[];
  /** By token: whether a rule has read it. */
  readonly #read: boolean[];
  /** By token: the kind of the unwanted value that it belongs to. */
  readonly #unwanted = new Map<number, string>();

  constructor(text: string, { fields, values }: Vocabulary) {
    this.question = readQuestion(text);
    this.fields = fields;
    this.#byField = new Map(fields.map((known) => [known.field, known]));
    for (const value of values) {
      append(this.#byKey, value.key, value);
      append(this.#byName, value.field, value);
    }
    for (const { field } of fields) this.#names.set(field, namesOf(field));
    this.#inCondition = this.question.tokens.map(() => false);
    this.#read = this.question.tokens.map(() => false);
  }

  /** Keeps the first `most` conditions, in the order of the question. */
  keepFirst(most: number): void {
    if (this.conditions.length <= most) return;
    this.conditions.sort((one, two) => one.span.from - two.span.from).splice(most);
  }

  field(name: string): KnownField | undefined {
    return this.#byField.get(name);
  }

  /** The values with this key, of any field. */
  valuesWritten(key: string): readonly KnownValue[] {
    return this.#byKey.get(key) ?? [];
  }

  valuesOf(field: string): readonly KnownValue[] {
    return this.#byName.get(field) ?? [];
  }

  word(index: number): string {
    return this.question.tokens[index]?.word ?? '';
  }

  /** The text between a word and the next one. */
  between(index: number): string {
    const { text, tokens } = this.question;
    return text.slice(tokens[index]?.end ?? 0, tokens[index + 1]?.start);
  }

  isFree({ from, to }: Span): boolean {
    return !this.#read.slice(from, to).some(Boolean);
  }

  /** Whether a token is part of a condition. */
  isInCondition(index: number): boolean {
    return this.#inCondition[index] ?? false;
  }

  /** Marks words as read: no other rule reads them, but the search texts may still contain them. */
  markRead({ from, to }: Span): void {
    this.#read.fill(true, from, to);
  }

  /** Marks words as read and as part of a condition. */
  markCondition(span: Span): void {
    this.markRead(span);
    this.#inCondition.fill(true, span.from, span.to);
  }

  /** Marks words as an unwanted value. */
  markUnwanted({ from, to }: Span, kind: string): void {
    for (let i = from; i < to; i++) this.#unwanted.set(i, kind);
  }

  /** The kind of the unwanted value that a word belongs to; undefined if it belongs to none. */
  unwantedKind(index: number): string | undefined {
    return this.#unwanted.get(index);
  }

  /** Stems of the words in the name of a field. */
  nameOf(field: string): ReadonlySet<string> {
    return this.#names.get(field) ?? new Set();
  }

  namesAnyField(index: number): boolean {
    const word = this.question.tokens[index]?.stem ?? '';
    return [...this.#names.values()].some((names) => names.has(word));
  }

  /** Whether the name of a field is this one word, given as a stem. */
  isCalled(field: string, word: string): boolean {
    const names = this.#names.get(field);
    return names?.size === 1 && names.has(word);
  }

  /** How well the words around a span match the name of a field: by their number, then by their share of the name. 0 if none matches. */
  nameScore(field: string, span: Span, reach: Reach = NEAR): number {
    const names = this.#names.get(field);
    if (!names || names.size === 0) return 0;
    const found = new Set(this.#around(span, reach).map((index) => this.question.tokens[index]!.stem));
    const named = [...names].filter((name) => found.has(name)).length;
    return named + named / (names.size + 1);
  }

  /** Marks the words around a span that name the field as part of the condition. */
  markFieldName(field: string, span: Span): void {
    for (const index of this.#around(span, NEAR)) {
      if (this.#names.get(field)?.has(this.question.tokens[index]!.stem))
        this.markCondition({ from: index, to: index + 1 });
    }
  }

  /** Marks several spans, and the names of the field around them, as one condition. Returns the properties that every condition has. */
  markTogether(field: string, spans: readonly Span[]): Pick<Condition, 'span' | 'label' | 'field'> {
    for (const span of spans) {
      this.markFieldName(field, span);
      this.markCondition(span);
    }
    const span = { from: spans[0]!.from, to: spans.at(-1)!.to };
    return { span, label: written(this.question, span), field };
  }

  #around({ from, to }: Span, reach: Reach): number[] {
    const indexes: number[] = [];
    for (let i = Math.max(0, from - reach.before); i < Math.min(this.#read.length, to + reach.after); i++) {
      if ((i < from || i >= to) && !this.#read[i]) indexes.push(i);
    }
    return indexes;
  }
}

/** Stems of the words in a field's name, such as `metadata.milestone.alpha`, `metadata.latestMilestone` or `metadata["milestone.alpha"]`, without the first part. */
function namesOf(field: string): ReadonlySet<string> {
  const words = field
    .replace(/^[a-z]+/i, '')
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u);
  return new Set(words.filter((word) => word !== '').map((word) => stem(word.toLowerCase())));
}

function append<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

/** The items with the highest score. */
export function best<Item>(items: readonly Item[], score: (item: Item) => number): Item[] {
  const highest = Math.max(...items.map(score));
  return items.filter((item) => score(item) === highest);
}
