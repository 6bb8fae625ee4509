import { STOP_WORDS } from '../../text/stop-words.ts';
import { drillLayers, type DrillLayer } from '../actions.ts';
import type { Operand } from '../plan.ts';
import { placeKinds } from '../wording.ts';
import type { Span } from './question.ts';
import type { Reading } from './reading.ts';
import { BREADTH, FRAMING, WHOLES } from './request-words.ts';

/** Before a place in the singular: each of its kind. */
const EACH = new Set(['each', 'every']);

/** A thing of which all is meant, with the words that say so. */
interface Breadth extends Span {
  /** The kinds of place that it is. */
  readonly places: readonly DrillLayer[];
  /** It stands for itself: "in all teams", unlike "all teams use". */
  readonly isAside: boolean;
}

/** The words by which everything is meant, which no text says: "across departments", "in all teams", "for each team". */
export function breadthOf(reading: Reading): ReadonlySet<number> {
  const aside = breadths(reading).filter(({ isAside }) => isAside);
  return new Set(aside.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, n) => from + n)));
}

/**
 * The operands with the kinds of place that the question means all of. Where there are several these are its sides, and
 * not the places.
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
  // A name in quotes says what is asked about.
  if (reading.question.quoted.some((span) => from >= span.from && from < span.to)) return undefined;
  let last = from + 1;
  while (BREADTH.has(reading.word(last))) last++;
  if (reading.isSaid(last)) return undefined;
  const word = reading.word(last);
  const places = drillLayers.filter((layer) => {
    const { one, several } = placeKinds[layer];
    return (EACH.has(reading.word(last - 1)) ? one : several).test(word);
  });
  const isWhole = isOpen && (/\p{L}{2}s$/u.test(word) || WHOLES.has(word));
  return { from, to: last + 1, places, isAside: isWhole || (places.length > 0 && isEnd(reading, last + 1)) };
}

/** "each team" and no more, unlike "each team member". */
function isEnd(reading: Reading, index: number): boolean {
  const word = reading.word(index);
  return word === '' || STOP_WORDS.has(word) || FRAMING.has(word);
}
