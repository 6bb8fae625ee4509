import { estimatedTokens } from '../text/passages.ts';
import { sentencesOf, trimmed, type Span } from '../text/sentences.ts';
import { termCounts } from '../text/tokens.ts';

/** A part of a memory that a context may quote. */
export interface Quotation extends Span {
  /** Estimated share, 0..1, of what the memory says about the question; 1 for the whole memory. */
  readonly share: number;
}

/** A text of at most this many estimated tokens is quoted whole. */
const undivided = 24;
/** The shortest quotation has this share of the distinct words of its text, or this many of them. */
const leastWords = { share: 0.6, count: 50 };
/**
 * `share` of the shortest quotation of a short memory (`core`) and of a long one (`coreOfPassage`), and of the best passage. Fitted
 * with the development sets.
 */
export const shares = { core: 0.85, coreOfPassage: 0.55, passage: 0.8 };

/**
 * The quotations of a memory, each within the next one: the sentences around the best match, the best passage if the memory is long,
 * and the whole. `terms` are the words of the question (`queryTerms`).
 */
export function quotationsOf(
  content: string,
  passage: Span | undefined,
  terms: readonly string[],
): readonly Quotation[] {
  const whole = trimmed(content, { start: 0, end: content.length }) ?? { start: 0, end: content.length };
  const area = passage ?? whole;
  const core = coreOf(content, area, terms);
  const quotations = [
    { ...core, share: passage ? shares.coreOfPassage : shares.core },
    ...(passage ? [{ ...passage, share: shares.passage }] : []),
    { ...whole, share: 1 },
  ];
  return quotations.filter((one, at) => {
    const next = quotations[at + 1];
    return !next || one.end - one.start < next.end - next.start;
  });
}

/** The shortest run of sentences with most of the question's words that has at least `leastWords`. */
function coreOf(content: string, area: Span, terms: readonly string[]): Span {
  if (estimatedTokens(content, area) <= undivided) return area;
  const sentences = sentencesOf(content, area).map(({ start, end }) => ({
    start,
    end,
    words: [...termCounts(content.slice(start, end)).counts.keys()],
  }));
  const all = new Set(sentences.flatMap(({ words }) => words));
  const least = Math.min(leastWords.share * all.size, leastWords.count);
  let best: (Span & { readonly matched: number }) | undefined;
  for (const [first, { start }] of sentences.entries()) {
    const seen = new Set<string>();
    const last = sentences.slice(first).find(({ words }) => {
      for (const word of words) seen.add(word);
      return seen.size >= least;
    });
    // Later runs have fewer words still.
    if (!last) break;
    const matched = terms.filter((term) => seen.has(term)).length;
    const length = last.end - start;
    if (!best || matched > best.matched || (matched === best.matched && length < best.end - best.start))
      best = { start, end: last.end, matched };
  }
  return best ? { start: best.start, end: best.end } : area;
}
