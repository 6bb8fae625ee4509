import { align } from '../consistency/alignment.ts';
import { isContent, tokensOf, type Token } from '../consistency/short-texts.ts';

/** A value has at most this many words ("the blue room"); more of them say something else. */
const maxValueWords = 2;
/** Smallest share of the longer sentence that both have in common. */
const minShared = 0.6;
/** In UTF-16 units, because aligning takes quadratic time. */
const maxLength = 300;

/**
 * Whether two sentences say the same of the same thing with another value: their words are equal except at one place, after the words
 * that say what it is about ("Elena lives in Osaka", "Elena lives in Berlin"). A value that the question names tells which of the two
 * is asked about ("Room 101 has a projector" for "Does room 101 have a projector?"), so then they are about two things.
 */
export function restates(one: Sentence, other: Sentence, question: Sentence): boolean {
  const [left, right] = [one.tokens, other.tokens];
  const least = minShared * Math.max(left.length, right.length);
  // Most pairs of sentences have too little in common: counting that is quicker than aligning them.
  if (left.length === 0 || right.length === 0 || left.filter(({ key }) => other.keys.has(key)).length < least)
    return false;
  const { shared, gaps } = align(left, right);
  const [gap] = gaps;
  if (!gap || gaps.length > 1 || shared.length < least) return false;
  if (!isValue(gap.left) || !isValue(gap.right) || !gap.before.some(isContent)) return false;
  return ![...gap.left, ...gap.right].some(({ key }) => question.keys.has(key));
}

/** The words of a text, to compare it with several others. */
export interface Sentence {
  readonly tokens: readonly Token[];
  /** Their keys: those of inflected forms of a word are equal. */
  readonly keys: ReadonlySet<string>;
}

/** A memory that is too long to be one sentence has no tokens, and restates nothing. */
export function sentenceOf(text: string, longest = maxLength): Sentence {
  const tokens = text.length > longest ? [] : tokensOf(text);
  return { tokens, keys: new Set(tokens.map(({ key }) => key)) };
}

function isValue(tokens: readonly Token[]): boolean {
  return tokens.length > 0 && tokens.length <= maxValueWords;
}
