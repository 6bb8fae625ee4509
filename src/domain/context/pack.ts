import { sentencesOf, type Span } from '../text/sentences.ts';
import { shares, type Quotation } from './quotations.ts';

/** A text that may be put into a context, whole or in part. */
export interface Packable {
  readonly content: string;
  /** Probability that it is relevant. */
  readonly relevance: number;
  /** The part of a long content that matches best. */
  readonly passage?: Span | undefined;
  /** Number of the part of the question that it answers best, if the question was decomposed. */
  readonly part?: number | undefined;
}

export interface PackOptions {
  /** The parts of a text that may be quoted, each within the next one. */
  readonly quotations: (index: number) => readonly Quotation[];
  /** Tokens of a line with this part of a text; may be infinite. */
  readonly cost: (index: number, span: Span) => number;
  /** Whether a text says nothing that the chosen ones do not say. */
  readonly repeats: (index: number, chosen: readonly number[]) => boolean;
}

export interface Packed {
  /** The part of each chosen text, by its index, in the order in which they were chosen. */
  readonly chosen: ReadonlyMap<number, Span>;
  readonly repeated: readonly number[];
}

/** A remaining budget of fewer tokens than this is too short for anything useful. */
export const leastRest = 12;
/** Packing ends after this many texts in a row that do not fit. */
const mostMisses = 12;
/** A token rarely has more characters than this, so a text that is longer than its room allows by this need not be counted. */
export const charactersPerToken = 12;

/** The first or the next larger part of a text. */
interface Addition {
  readonly index: number;
  readonly level: number;
  /** How much it is expected to add: relevance times the share of the memory. */
  readonly worth: number;
  /** Whether it is the best text for a part of the question, which comes before all others. */
  readonly isBestOfPart?: boolean;
}

/**
 * Fills a budget greedily: the addition with the highest worth comes first, so that the best sentences of several memories are
 * preferred to the rest of one. The price does not count: that would prefer short memories to relevant ones, and was measured to find
 * less. What does not fit whole is cut after a sentence. If the question has several parts, the best text for each of them comes first, in
 * an equal share of the budget. Deterministic; in steps of bounded work.
 */
export function* pack(
  packables: readonly Packable[],
  budget: number,
  { quotations, cost, repeats }: PackOptions,
): Generator<undefined, Packed, undefined> {
  const chosen = new Map<number, Fitting>();
  const repeated: number[] = [];
  const bests = bestOfParts(packables);
  const additions = packables.map(firstOf);
  for (const index of bests) additions[index] = { ...additions[index]!, isBestOfPart: true };
  let [left, misses, waiting] = [budget, 0, bests.length];
  while (additions.length > 0 && left > 0 && misses < mostMisses) {
    yield;
    const { index, level, isBestOfPart } = takeBest(additions);
    const share = isBestOfPart ? left / waiting-- : Infinity;
    const { content, relevance } = packables[index]!;
    if (level === 0 && repeats(index, [...chosen.keys()])) {
      repeated.push(index);
      continue;
    }
    const [quotation, larger] = quotations(index).slice(level, level + 2);
    const before = chosen.get(index)?.tokens ?? 0;
    const room = Math.min(left + before, share);
    const costOf = (span: Span) => cost(index, span);
    const whole = fitting(quotation!, room, costOf);
    const part = whole ?? (level === 0 ? beginningOf(content, quotation!, room, costOf) : undefined);
    if (!part && isBestOfPart) additions.push(firstOf(packables[index]!, index));
    else misses = part ? 0 : misses + 1;
    if (!part) continue;
    left -= part.tokens - before;
    chosen.set(index, part);
    if (whole && larger)
      additions.push({ index, level: level + 1, worth: relevance * (larger.share - quotation!.share) });
  }
  return { chosen, repeated };
}

function firstOf({ relevance, passage }: Packable, index: number): Addition {
  return { index, level: 0, worth: relevance * (passage ? shares.coreOfPassage : shares.core) };
}

/** The most relevant text for each part of the question; none if there are fewer than two parts. */
function bestOfParts(packables: readonly Packable[]): readonly number[] {
  const bests = new Map<number, number>();
  for (const [index, { part, relevance }] of packables.entries()) {
    const best = part === undefined ? undefined : bests.get(part);
    if (part !== undefined && (best === undefined || relevance > packables[best]!.relevance))
      bests.set(part, index);
  }
  return bests.size < 2 ? [] : [...bests.values()];
}

type Cost = (span: Span) => number;
type Fitting = Span & { readonly tokens: number };

function fitting({ start, end }: Span, room: number, cost: Cost): Fitting | undefined {
  if (end - start > room * charactersPerToken) return undefined;
  const tokens = cost({ start, end });
  return tokens <= room ? { start, end, tokens } : undefined;
}

/** As many of the first sentences of a quotation as there is room for. */
function beginningOf(content: string, quotation: Span, room: number, cost: Cost): Fitting | undefined {
  if (room < leastRest) return undefined;
  const { start } = quotation;
  let found: Fitting | undefined;
  for (const { end } of sentencesOf(content, quotation)) {
    const longer = fitting({ start, end }, room, cost);
    if (!longer) return found;
    found = longer;
  }
  return found;
}

/** Removes and returns the best addition; among equals the one of the first text. */
function takeBest(additions: Addition[]): Addition {
  let best = 0;
  for (let at = 1; at < additions.length; at++) if (isBefore(additions[at]!, additions[best]!)) best = at;
  const taken = additions[best]!;
  additions[best] = additions.at(-1)!;
  additions.pop();
  return taken;
}

function isBefore(one: Addition, other: Addition): boolean {
  const [first, second] = [one.isBestOfPart === true, other.isBestOfPart === true];
  if (first !== second) return first;
  return one.worth === other.worth ? one.index < other.index : one.worth > other.worth;
}
