import { estimatedTokens } from '../text/passages.ts';
import { sentencesOf, type Span } from '../text/sentences.ts';
import type { Quotation } from './quotations.ts';

/** A text that may be put into a context, whole or in part. */
export interface Packable {
  readonly content: string;
  /** Probability that it is relevant. */
  readonly relevance: number;
  /** Each within the next one. */
  readonly quotations: readonly Quotation[];
}

export interface PackOptions {
  /** Tokens of the line of a packable with this part of its text; may be infinite. */
  readonly cost: (index: number, span: Span) => number;
  /** Whether a text says nothing that a chosen one does not say. */
  readonly repeats: (index: number, chosen: number) => boolean;
}

export interface Packed {
  /** The part of each chosen text, by its index, in the order in which they were chosen. */
  readonly chosen: ReadonlyMap<number, Span>;
  readonly repeated: readonly number[];
}

/** Tokens of a line without its text, for estimates. */
const tokensOfMark = 4;
/** The rest of a budget that is too short for anything of use. */
const leastRest = 12;
/**
 * How much the price counts: with 1 the worth for each token decides, which prefers short texts; with 0 relevance alone. Fitted
 * with the development sets.
 */
const PRICE = 0.3;
/** Only texts that may fit are counted: a token has rarely more characters. */
const charactersPerToken = 12;

/** The next larger part of a text. */
interface Addition {
  readonly index: number;
  readonly level: number;
  /** Expected worth for its estimated price. */
  readonly worth: number;
}

/**
 * Fills a budget greedily: the addition with the highest worth comes first, so that the best sentences of several memories are
 * preferred to the rest of one. What does not fit whole is cut after a sentence. Deterministic.
 */
export function pack(packables: readonly Packable[], budget: number, { cost, repeats }: PackOptions): Packed {
  const chosen = new Map<number, Span & { readonly tokens: number }>();
  const repeated: number[] = [];
  const additions = packables.map((packable, index) => additionOf(packable, index, 0));
  let left = budget;
  while (additions.length > 0 && left > 0) {
    const { index, level } = takeBest(additions);
    const packable = packables[index]!;
    if (level === 0 && [...chosen.keys()].some((other) => repeats(index, other))) {
      repeated.push(index);
      continue;
    }
    const quotation = packable.quotations[level]!;
    const before = chosen.get(index)?.tokens ?? 0;
    const room = left + before;
    const whole = fitting(quotation, room, (span) => cost(index, span));
    const part =
      whole ?? (level === 0 ? beginningOf(packable, room, (span) => cost(index, span)) : undefined);
    if (!part) continue;
    left -= part.tokens - before;
    chosen.set(index, part);
    if (whole && level + 1 < packable.quotations.length)
      additions.push(additionOf(packable, index, level + 1));
  }
  return { chosen, repeated };
}

type Cost = (span: Span) => number;
type Fitting = Span & { readonly tokens: number };

function fitting({ start, end }: Span, room: number, cost: Cost): Fitting | undefined {
  if (end - start > room * charactersPerToken) return undefined;
  const tokens = cost({ start, end });
  return tokens <= room ? { start, end, tokens } : undefined;
}

/** As many of the first sentences of the shortest quotation as there is room for. */
function beginningOf({ content, quotations }: Packable, room: number, cost: Cost): Fitting | undefined {
  if (room < leastRest) return undefined;
  const shortest = quotations[0]!;
  let found: Fitting | undefined;
  for (const { end } of sentencesOf(content, shortest)) {
    const longer = fitting({ start: shortest.start, end }, room, cost);
    if (!longer) return found;
    found = longer;
  }
  return found;
}

/** The best addition, removed; of equal ones that of the text that comes first. */
function takeBest(additions: Addition[]): Addition {
  let best = 0;
  for (let at = 1; at < additions.length; at++) {
    const [one, other] = [additions[at]!, additions[best]!];
    if (one.worth > other.worth || (one.worth === other.worth && one.index < other.index)) best = at;
  }
  const taken = additions[best]!;
  additions[best] = additions.at(-1)!;
  additions.pop();
  return taken;
}

function additionOf({ content, relevance, quotations }: Packable, index: number, level: number): Addition {
  const [quotation, before] = [quotations[level]!, quotations[level - 1]];
  const priceOf = (span: Span) => tokensOfMark + estimatedTokens(content, span);
  const price = Math.max(1, priceOf(quotation) - (before ? priceOf(before) : 0));
  const share = quotation.share - (before?.share ?? 0);
  return { index, level, worth: (relevance * share) / price ** PRICE };
}
