import { STOP_WORDS } from '../../text/stop-words.ts';
import { breadthOf } from './breadth.ts';
import type { Span } from './question.ts';
import type { Reading } from './reading.ts';
import { ABOUT, ASKING, FRAMING } from './request-words.ts';

/** Up to this many words before "about", a request says what kind of thing is wanted; a longer text makes a statement itself. */
const REQUEST_WORDS = 6;

/**
 * The query that texts are compared with: the words that neither became a condition nor belong to the request itself. For a
 * request "about" something, only the words of that subject. If nothing was understood, the question is returned unchanged.
 */
export function wholeResidue(reading: Reading): string {
  const { text, tokens } = reading.question;
  const about = subjectAt(reading);
  if (about === undefined && breadthOf(reading).size === 0 && reading.conditions.length === 0) return text;
  const subject = about === undefined ? '' : residue(reading, [{ from: about + 1, to: tokens.length }]);
  return subject || residue(reading, [{ from: 0, to: tokens.length }]) || text;
}

/** The words of `spans` that neither became a condition nor belong to the request itself, in the order of the question. */
export function residue(reading: Reading, spans: readonly Span[]): string {
  const { text, tokens } = reading.question;
  const breadth = breadthOf(reading);
  return tokens
    .filter(
      (_, i) =>
        spans.some(({ from, to }) => i >= from && i < to) && !breadth.has(i) && saysSomething(reading, i),
    )
    .map(({ start, end }) => text.slice(start, end))
    .join(' ');
}

/** Number of words that say something about the subject and did not become a condition. */
export function contentLeft(reading: Reading): number {
  return reading.question.tokens.filter((_, i) => saysSomething(reading, i)).length;
}

function saysSomething(reading: Reading, index: number): boolean {
  const word = reading.word(index);
  if (index === 0 && word === 'contrast') return false;
  return !reading.isInCondition(index) && !STOP_WORDS.has(word) && !FRAMING.has(word);
}

/** Index of "about" in a request: "which teams have proposals about quota". */
function subjectAt(reading: Reading): number | undefined {
  const { tokens } = reading.question;
  const about = tokens.findIndex(({ word }) => ABOUT.has(word));
  if (about < 0 || !ASKING.has(reading.word(0))) return undefined;
  const before = tokens
    .slice(0, about)
    .filter(({ word }, i) => !reading.isInCondition(i) && !STOP_WORDS.has(word));
  return before.length <= REQUEST_WORDS ? about : undefined;
}
