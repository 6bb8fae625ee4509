import type { Difference } from '../verdict.ts';
import { weightOf, type Sentence, type SentenceIndex } from './sentence-index.ts';

/** A sentence of the older memory and one of the newer that cannot both hold. */
export interface Update {
  readonly difference: Difference;
  /** The words that differ, of the older sentence and the newer one. */
  readonly words: readonly [string, string];
  /** The sentences that contain these words. */
  readonly passages: readonly [string, string];
  /** Words that show that both are about the same thing. */
  readonly shared: readonly string[];
  /** Evidence that both are about the same thing and that the newer one replaces the older; comparable across rules. */
  readonly support: number;
}

/** Two memories whose sentences are compared; the first is assumed to be the older. */
export interface Comparison {
  readonly older: SentenceIndex;
  readonly newer: SentenceIndex;
  /** Both belong to one user, so "I" and an unnamed person can be the same. */
  readonly isOnePerson: boolean;
}

export interface Shared {
  readonly words: readonly string[];
  /** Weight of the subjects that both sentences name. */
  readonly own: number;
  /** Weight of the subjects that a sentence next to one of them names. */
  readonly around: number;
  /** Whether one of the sentences names nothing that the other does not name. */
  readonly isCovered: boolean;
}

const mostShared = 4;
/** A subject that only a neighbouring sentence names counts half; all of them together count at most `mostAround`. */
const aroundWeight = 0.5;
const mostAround = 2;

/** The subjects that two sentences share, without those in `apart`. */
export function sharedSubjects(
  older: Sentence,
  newer: Sentence,
  apart: ReadonlySet<string> = new Set(),
): Shared {
  const words: string[] = [];
  let [own, around] = [0, 0];
  for (const [key, subject] of newer.subjects) {
    if (apart.has(key)) continue;
    const other = older.subjects.get(key);
    const near = other ?? older.around.get(key);
    if (!near) continue;
    const each = Math.max(weightOf(subject), weightOf(near));
    if (each === 0) continue;
    words.push(subject.text);
    if (other) own += each;
    else around += each * aroundWeight;
  }
  for (const [key, subject] of newer.around) {
    const other = older.subjects.get(key) ?? older.around.get(key);
    if (!other || apart.has(key)) continue;
    const each = Math.max(weightOf(subject), weightOf(other));
    if (each > 0) words.push(subject.text);
    around += each * aroundWeight;
  }
  return {
    words,
    own: Math.min(own, mostShared),
    around: Math.min(around, mostAround),
    isCovered: covers(older, newer) || covers(newer, older),
  };
}

/**
 * Evidence that does not come from shared words: the memories belong to one person, or the newer sentence says that something changes.
 */
export function commonSupport({ isOnePerson }: Comparison, newer: Sentence): number {
  return (isOnePerson ? 0.5 : 0) + (newer.saysChange ? 1 : 0);
}

function covers(sentence: Sentence, other: Sentence): boolean {
  let count = 0;
  for (const subject of other.subjects.values()) {
    if (weightOf(subject) === 0) continue;
    if (!sentence.subjects.has(subject.key)) return false;
    count++;
  }
  return count > 0;
}
