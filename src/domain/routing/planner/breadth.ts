import { STOP_WORDS } from '../../text/stop-words.ts';
import { drillLayers, type DrillLayer } from '../actions.ts';
import type { Operand } from '../plan.ts';
import { placeKinds } from '../wording.ts';
import type { Span } from './question.ts';
import type { Reading } from './reading.ts';
import { BREADTH, FRAMING, WHOLES } from './request-words.ts';

/** Words before a singular place that mean every place of its kind. */
const EACH = new Set(['each', 'every']);

/** Words that mean all of something. */
interface Breadth extends Span {
  /** The kinds of place that are meant. */
  readonly places: readonly DrillLayer[];
  /** The words only say where to search ("in all teams"); in "all teams use" they are the subject. */
  readonly isAside: boolean;
}

/** Indexes of the words that only mean "everywhere" and that no text contains: "across departments", "in all teams", "for each team". */
export function breadthOf(reading: Reading): ReadonlySet<number> {
  const aside = breadths(reading).filter(({ isAside }) => isAside);
  return new Set(aside.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, n) => from + n)));
}

/**
 * Adds to a single operand the kinds of place of which the question means all. Several operands stay unchanged: they are the
 * sides of the question.
 */
export function acrossPlaces(operands: readonly Operand[], reading: Reading): readonly Operand[] {
  const [first, ...others] = operands;
  const meant = breadths(reading).flatMap(({ places }) => places);
  const across = drillLayers.filter((layer) => meant.includes(layer));
  return first && others.length === 0 && across.length > 0 ? [{ ...first, across }] : operands;
}

function breadths(reading: Reading): Breadth[] {
  return [...reading.question.tokens.keys()].flatMap((from) => breadthAt(reading, from) ?? []);
}

function breadthAt(reading: Reading, from: number): Breadth | undefined {
  const first = reading.word(from);
  const isOpen = first === 'across' || (first === 'in' && BREADTH.has(reading.word(from + 1)));
  if (!isOpen && first !== 'all' && !EACH.has(first)) return undefined;
  // Quoted words are part of a name.
  if (reading.question.quoted.some((span) => from >= span.from && from < span.to)) return undefined;
  let last = from + 1;
  while (BREADTH.has(reading.word(last))) last++;
  if (reading.isInCondition(last)) return undefined;
  const word = reading.word(last);
  const places = drillLayers.filter((layer) => {
    const { one, several } = placeKinds[layer];
    return (EACH.has(reading.word(last - 1)) ? one : several).test(word);
  });
  const isWhole = isOpen && (/\p{L}{2}s$/u.test(word) || WHOLES.has(word));
  return { from, to: last + 1, places, isAside: isWhole || (places.length > 0 && isEnd(reading, last + 1)) };
}

/** Whether the phrase ends before this word: "each team", unlike "each team member". */
function isEnd(reading: Reading, index: number): boolean {
  const word = reading.word(index);
  return word === '' || STOP_WORDS.has(word) || FRAMING.has(word);
}
