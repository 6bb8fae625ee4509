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
export function restates(one: string, other: string, question: string): boolean {
  if (one.length > maxLength || other.length > maxLength) return false;
  const [left, right] = [tokensOf(one), tokensOf(other)];
  const { shared, gaps } = align(left, right);
  const [gap] = gaps;
  if (!gap || gaps.length > 1 || shared.length < minShared * Math.max(left.length, right.length))
    return false;
  if (!isValue(gap.left) || !isValue(gap.right) || !gap.before.some(isContent)) return false;
  const asked = new Set(tokensOf(question).map(({ key }) => key));
  return ![...gap.left, ...gap.right].some(({ key }) => asked.has(key));
}

function isValue(tokens: readonly Token[]): boolean {
  return tokens.length > 0 && tokens.length <= maxValueWords;
}
