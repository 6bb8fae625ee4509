import { dotProduct } from '../dot-product.ts';
import { groupBy } from '../group-by.ts';
import { scopeKeys } from '../layers.ts';
import { fold, queryTerms } from '../text/tokens.ts';
import type { ModelScale } from './calibration.ts';
import type { Substance } from './likeness.ts';
import type { Ranked } from './precedence-order.ts';
import { FLOOR, logOdds } from './score-scale.ts';
import { restates, sentenceOf, type Sentence } from './restates.ts';
import { tellsChange } from './tells-change.ts';

/** A memory that a search found, as it is compared with others of its place. */
export interface Compared extends Ranked {
  readonly id: string;
  readonly text: string;
}

/** Each memory is compared with the mean of this many of its nearest. */
const NEAREST = 5;
/**
 * How near two notes of one place ordinarily are, in log-odds by meaning alone. It is used for each of the nearest memories that a place
 * with fewer memories lacks. Fitted on the questions about changed facts, each asked among one to four other memories.
 */
const USUAL = -3.3;
/** Weight of the shared words, in log-odds if all are shared; the same as in `likeness`. */
const WORDS = 10;
/** Evidence, in log-odds, from which on a newer memory that tells a change replaces an older one. Fitted on questions about changed facts. */
const REPLACES = 1.05;
/** Log-odds by meaning alone below which two memories have nothing in common, however few others there are to compare with. */
const LEAST_ALIKE = -5.2;
/** A longer memory also says what still holds. In UTF-16 units. */
const longestReplaced = 300;

/**
 * What makes a newer memory worth showing beside an older one: a third of the weight of the shared words, a little for its own
 * relevance, and no less than this; of one that tells no change, more. Fitted on the same questions.
 */
const BESIDE = { words: WORDS / 3, perLogOdd: 1 / 3, least: -0.7, leastOfOthers: 1, mostShown: 3 };
/** A longer text is about many things: it shares words with everything, and is found by its own passages. In UTF-16 units. */
const longestBeside = 1_000;

/**
 * Which of the memories that a search found speak of the same matter, judged by their likeness to each other. Their scores for the
 * question cannot tell: "I moved to Lisbon" answers "Where do I live?" worse than "I live in Berlin" does, but the two are each
 * other's nearest. A cosine is compared with those of the nearest other memories of both, because some texts are near to
 * everything (cross-domain similarity local scaling, Conneau et al., "Word translation without parallel data", 2018). Only memories
 * of one layer and scope are compared: others do not replace each other, and turns of one session follow each other. Without vectors
 * only restated sentences are recognised (`restates`).
 */
export class SameMatter<Item extends Compared> {
  readonly #count: number;
  readonly #scale: ModelScale;
  /** By memory with a vector: all such memories of its place. */
  readonly #places = new Map<Item, readonly Item[]>();
  readonly #cosines = new Map<Item, ReadonlyMap<Item, number>>();
  readonly #means = new Map<Item, number>();
  readonly #sentences = new Map<Item, Sentence>();
  readonly #tellsChange = new Map<Item, boolean>();
  readonly #replaced = new Map<Item, Map<Item, boolean>>();
  readonly #rarity: (term: string) => number;
  readonly #question: Sentence;
  readonly #identifiers: readonly string[];

  constructor(
    found: readonly Item[],
    { question, scale }: { readonly question: string; readonly scale: ModelScale },
  ) {
    this.#count = found.length;
    this.#scale = scale;
    this.#question = sentenceOf(question, Infinity);
    this.#identifiers = queryTerms(question).filter((term) => /\p{N}/u.test(term));
    const comparable = found.filter(({ substance }) => substance.vector);
    for (const place of groupBy(comparable, placeOf).values())
      for (const item of place) this.#places.set(item, place);
    this.#rarity = rarityAmong(found.map(({ substance }) => substance));
  }

  /** The newer memories to show beside one that is shown, the best first. None of them is refuted. */
  newerThan(older: Item): readonly Item[] {
    const { intercept, slope } = this.#scale.denseOnly;
    return this.#newer(older)
      .filter(({ text }) => text.length <= longestBeside)
      .filter((item) => !item.isRefuted && intercept + slope * this.#cosine(older, item) >= LEAST_ALIKE)
      .map((item) => ({ item, evidence: this.#evidence(older, item, BESIDE.words) + relevant(item) }))
      .filter(({ item, evidence }) => evidence > (this.#tells(item) ? BESIDE.least : BESIDE.leastOfOthers))
      .sort((left, right) => right.evidence - left.evidence)
      .slice(0, BESIDE.mostShown)
      .map(({ item }) => item);
  }

  /**
   * Whether the newer memory says that the older one no longer holds: it restates it with another value, or tells its change. The older
   * is short enough to say one thing only.
   */
  replaces(newer: Item, older: Item): boolean {
    if (!this.#canReplace(newer, older)) return false;
    const known = memo(this.#replaced, newer, () => new Map<Item, boolean>());
    return memo(known, older, () => this.#restates(newer, older) || this.tellsChangeOf(newer, older));
  }

  #restates(newer: Item, older: Item): boolean {
    return restates(this.#sentence(older), this.#sentence(newer), this.#question);
  }

  #sentence(item: Item): Sentence {
    return memo(this.#sentences, item, () => sentenceOf(item.text));
  }

  #tells(item: Item): boolean {
    return memo(this.#tellsChange, item, () => tellsChange(item.text));
  }

  /** Whether the newer memory tells a change while the two are nearer to each other than almost any other of their place. */
  tellsChangeOf(newer: Item, older: Item): boolean {
    return (
      this.#canReplace(newer, older) &&
      this.#has(newer) &&
      this.#has(older) &&
      !this.#isNamed(older, newer) &&
      this.#areNearest(older, newer) &&
      this.#evidence(older, newer, WORDS) > REPLACES &&
      this.#tells(newer)
    );
  }

  #canReplace(newer: Item, older: Item): boolean {
    return (
      newer.time > older.time &&
      isOfSamePlace(newer, older) &&
      newer.scope.session === undefined &&
      older.text.length <= longestReplaced
    );
  }

  /** Whether the question names the older memory by a number or an identifier that the newer one does not have. */
  #isNamed(older: Item, newer: Item): boolean {
    const text = fold(newer.text);
    return this.#identifiers.some((term) => older.substance.terms.has(term) && !text.includes(term));
  }

  /** Those of the given memories that replace another one of them, or are replaced by one. */
  changed(shown: readonly Item[]): ReadonlySet<Item> {
    const compared = shown.slice(0, this.#count);
    const pairs = compared.flatMap((newer) =>
      compared.filter((older) => this.replaces(newer, older)).map((older) => [newer, older]),
    );
    return new Set(pairs.flat());
  }

  #newer(older: Item): Item[] {
    if (older.scope.session !== undefined) return [];
    return this.#place(older).filter(({ time }) => time > older.time);
  }

  #has(item: Item): boolean {
    return this.#places.has(item);
  }

  #place(item: Item): readonly Item[] {
    return this.#places.get(item) ?? [];
  }

  /** In log-odds of the model: how much nearer they are than their nearest others, and the rare words they share. */
  #evidence(older: Item, newer: Item, words: number): number {
    const cosine = this.#cosine(older, newer);
    const contrast = 2 * cosine - this.#mean(older) - this.#mean(newer);
    return (
      this.#scale.denseOnly.slope * contrast +
      words * sharedWords(older.substance, newer.substance, this.#rarity)
    );
  }

  /** Whether at most one other memory of their place is nearer: a newer one to the older, or an older one to the newer. */
  #areNearest(older: Item, newer: Item): boolean {
    const cosine = this.#cosine(older, newer);
    const nearer = this.#place(older).filter(
      (other) =>
        (other !== older && other.time > older.time && this.#cosine(older, other) > cosine) ||
        (other !== newer && other.time < newer.time && this.#cosine(newer, other) > cosine),
    );
    return nearer.length <= 1;
  }

  #cosine(one: Item, other: Item): number {
    return one === other ? 1 : this.#cosinesOf(one).get(other)!;
  }

  #cosinesOf(item: Item): ReadonlyMap<Item, number> {
    return memo(this.#cosines, item, () => {
      const own = item.substance.vector!;
      const others = this.#place(item).filter((other) => other !== item);
      return new Map(others.map((other) => [other, dotProduct(own, other.substance.vector!)]));
    });
  }

  /** Mean cosine with the nearest others of its place. */
  #mean(item: Item): number {
    return memo(this.#means, item, () => {
      const nearest = [...this.#cosinesOf(item).values()].sort((a, b) => b - a).slice(0, NEAREST);
      const { intercept, slope } = this.#scale.denseOnly;
      const missing = NEAREST - nearest.length;
      const sum = nearest.reduce((total, cosine) => total + cosine, 0);
      return (sum + (missing * (USUAL - intercept)) / slope) / NEAREST;
    });
  }
}

/** The value of a key, computed once. */
function memo<Key, Value>(known: Map<Key, Value>, key: Key, compute: () => Value): Value {
  const value = known.get(key);
  if (value !== undefined) return value;
  const computed = compute();
  known.set(key, computed);
  return computed;
}

function relevant({ relevance }: Compared): number {
  // A relevance of 0 or 1 has infinite log-odds.
  return BESIDE.perLogOdd * (Math.min(10, Math.max(-10, logOdds(relevance))) - FLOOR);
}

function isOfSamePlace(one: Compared, other: Compared): boolean {
  return one.layer === other.layer && scopeKeys.every((key) => one.scope[key] === other.scope[key]);
}

/** Memories of one place have the same layer and the same identifiers. */
function placeOf({ layer, scope }: Compared): string {
  return JSON.stringify([layer, scopeKeys.map((key) => scope[key])]);
}

/** How rare a term is among these texts: the logarithm of one over the share of them that have it. */
function rarityAmong(texts: readonly Substance[]): (term: string) => number {
  const counts = new Map<string, number>();
  for (const { terms } of texts) for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return (term) => Math.log((texts.length + 1) / ((counts.get(term) ?? 0) + 0.5));
}

/** Cosine of two sets of words, each weighted by its rarity, 0..1. */
function sharedWords(left: Substance, right: Substance, rarity: (term: string) => number): number {
  const mass = ({ terms }: Substance) => [...terms].reduce((sum, term) => sum + rarity(term) ** 2, 0);
  const shared = [...left.terms].filter((term) => right.terms.has(term));
  if (shared.length === 0) return 0;
  return shared.reduce((sum, term) => sum + rarity(term) ** 2, 0) / Math.sqrt(mass(left) * mass(right));
}
