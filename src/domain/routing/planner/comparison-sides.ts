import { written, type Span } from './question.ts';
import type { Reading } from './reading.ts';
import { residue } from './residue.ts';
import { ABOUT, COMPARING } from './request-words.ts';

/** Words between the two sides. */
const JOINTS = new Set(['and', 'with', 'to', 'against', 'versus', 'vs', 'from', 'than']);
/** What stands before these words applies to both sides: "the caching of A and B". */
const BELONGING = new Set(['of', 'by', 'in', 'for']);
/** What follows these words applies to both sides: "A and B when the network fails". */
const CIRCUMSTANCE = new Set(['in', 'on', 'for', 'when', 'during']);

/**
 * The two sides of "compare X with Y", "the difference in Z between X and Y" or "X versus Y", each with the words that apply to
 * both. Empty if a side has no words of its own.
 */
export function comparisonSides(reading: Reading): { label: string; query: string }[] {
  const { tokens } = reading.question;
  const find = (from: number, words: ReadonlySet<string>, to = tokens.length) => {
    const index = tokens.findIndex(({ word }, i) => i >= from && i < to && words.has(word));
    return index < 0 ? undefined : index;
  };
  const asked = reading.word(0) === 'contrast' ? 0 : find(0, COMPARING);
  if (asked === undefined) return [];
  const isInfix = asked > 0 && ['versus', 'vs'].includes(reading.word(asked));
  const between = tokens.findIndex(({ word }, i) => i > asked && word === 'between');
  const start = isInfix ? 0 : Math.max(asked, between) + 1;
  const joint = isInfix ? asked : find(start + 1, JOINTS);
  if (joint === undefined) return [];
  const belonging = tokens.findLastIndex(({ word }, i) => i >= start && i < joint && BELONGING.has(word));
  const left = Math.max(start, belonging + 1);
  const tail = tokens.findIndex(
    (token, i) => i > joint + 1 && (CIRCUMSTANCE.has(token.word) || ABOUT.has(token.word)),
  );
  const end = tail < 0 ? tokens.length : tail;
  const shared: Span[] = [
    { from: isInfix ? 0 : asked + 1, to: left },
    { from: end, to: tokens.length },
  ];
  const sides = [
    { from: left, to: joint },
    { from: joint + 1, to: end },
  ];
  const parts = sides.map((side) => ({
    label: written(reading.question, side),
    query: residue(reading, [side, ...shared]),
  }));
  return sides.every((side) => residue(reading, [side]) !== '') ? parts : [];
}
