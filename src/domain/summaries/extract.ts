import { sentencesOf } from '../text/sentences.ts';
import { termCounts } from '../text/tokens.ts';
import { tokensOfDepth, type Depth } from './depths.ts';
import { cosine, normalized, termVectors, weightedSum, type TermVector } from './term-vector.ts';

/** A memory that may be quoted. */
export interface Source {
  readonly id: string;
  readonly revision: number;
  readonly content: string;
  /** When what it says was true, else when it was stored. */
  readonly time: Date;
  /** 0..1. */
  readonly importance: number;
}

/** Counts tokens. Infinite for a text that takes too long. */
export type Count = (text: string) => number;

/** A summary: sentences of memories, verbatim, each followed by a mark `[n]` that names its source, counted from 1. */
export interface Extract {
  readonly depth: Depth;
  readonly content: string;
  readonly tokenCount: number;
  readonly sources: readonly { readonly id: string; readonly revision: number }[];
}

interface Sentence {
  /** Place in the order of time. */
  readonly place: number;
  readonly source: number;
  readonly text: string;
  readonly vector: TermVector;
  /** Tokens of the text and its mark. */
  readonly tokens: number;
}

/** Sentences are quoted together only if their cosine is at most this. */
const mostAlike = 0.5;
/** How much the importance of its memory changes the gain of a sentence. */
const weightOfImportance = 0.5;
/** A sentence of fewer different words hardly says anything without its surroundings. */
const leastTerms = 3;

/**
 * Summaries made of sentences of the memories, best first by greedy centroid: each step adds the sentence with which the whole summary
 * is nearest to the weighted centre of all sentences, unless it repeats what is there (Ghalandari 2017, "Revisiting the Centroid-based
 * Method"). The summary reads in the order of time. Deterministic, whatever the order of the sources. A summary has no more tokens than
 * its depth. Sources without words give no summary.
 */
export function extract(sources: readonly Source[], depths: readonly Depth[], count: Count): Extract[] {
  const ordered = [...sources].sort(
    (left, right) => left.time.getTime() - right.time.getTime() || (left.id < right.id ? -1 : 1),
  );
  const sentences = sentencesIn(ordered, count);
  if (sentences.length === 0) return [];
  const centre = normalized(
    weightedSum(sentences.map(({ vector, source }) => [vector, ordered[source]!.importance] as const)),
  );
  return depths.map((depth) => {
    const budget = tokensOfDepth[depth];
    const chosen = choose(ordered, sentences, centre, budget);
    return chosen.length > 0
      ? written(depth, ordered, chosen, count, budget)
      : cutToFit(depth, ordered, sentences, centre, count, budget);
  });
}

function sentencesIn(sources: readonly Source[], count: Count): Sentence[] {
  const spoken = sources.flatMap(({ content }, source) =>
    sentencesOf(content).map(({ start, end }) => ({ source, text: content.slice(start, end) })),
  );
  const distinct = [
    ...new Map(spoken.toReversed().map((sentence) => [sentence.text, sentence])).values(),
  ].toReversed();
  const vectors = termVectors(distinct.map(({ text }) => termCounts(text).counts));
  const all = distinct.map((sentence, index): Sentence => ({
    ...sentence,
    place: index,
    vector: vectors[index]!,
    tokens: count(`${sentence.text} [99] `),
  }));
  const telling = all.filter(({ vector }) => vector.size >= leastTerms);
  return telling.length > 0 ? telling : all.filter(({ vector }) => vector.size > 0);
}

/** Sentences that fit together into the budget, the best first. */
function choose(
  sources: readonly Source[],
  sentences: readonly Sentence[],
  centre: TermVector,
  budget: number,
): Sentence[] {
  const chosen: Sentence[] = [];
  const sum = new Map<string, number>();
  const near = new Map(sentences.map((sentence) => [sentence, cosine(sentence.vector, centre)]));
  let candidates = [...sentences];
  let left = budget;
  let sumByCentre = 0;
  let sumSquared = 0;
  for (;;) {
    candidates = candidates.filter(({ tokens }) => tokens <= left);
    let best: { readonly sentence: Sentence; readonly worth: number; readonly bySum: number } | undefined;
    for (const sentence of candidates) {
      const bySum = cosine(sentence.vector, sum);
      const together = (sumByCentre + near.get(sentence)!) / Math.sqrt(sumSquared + 2 * bySum + 1);
      const { importance } = sources[sentence.source]!;
      const worth = together * (1 - weightOfImportance + weightOfImportance * importance);
      if (!best || worth > best.worth) best = { sentence, worth, bySum };
    }
    if (!best) return chosen;
    const { sentence, bySum } = best;
    chosen.push(sentence);
    left -= sentence.tokens;
    sumByCentre += near.get(sentence)!;
    sumSquared += 2 * bySum + 1;
    for (const [term, weight] of sentence.vector) sum.set(term, (sum.get(term) ?? 0) + weight);
    candidates = candidates.filter(({ vector }) => cosine(vector, sentence.vector) <= mostAlike);
  }
}

/** The chosen sentences in the order of time, less the last chosen ones if they turn out too long together. */
function written(
  depth: Depth,
  sources: readonly Source[],
  chosen: readonly Sentence[],
  count: Count,
  budget: number,
): Extract {
  for (let kept = chosen.length; ; kept--) {
    const inOrder = chosen.slice(0, kept).sort((left, right) => left.place - right.place);
    const extract = marked(depth, sources, inOrder, count);
    if (extract.tokenCount <= budget || kept === 1) return extract;
  }
}

/** The best beginning of a sentence, where no sentence fits as a whole. */
function cutToFit(
  depth: Depth,
  sources: readonly Source[],
  sentences: readonly Sentence[],
  centre: TermVector,
  count: Count,
  budget: number,
): Extract {
  const worth = ({ vector, source }: Sentence) =>
    cosine(vector, centre) * (1 - weightOfImportance + weightOfImportance * sources[source]!.importance);
  const best = sentences.reduce((best, other) => (worth(other) > worth(best) ? other : best));
  const characters = Array.from(best.text);
  const cutAt = (length: number) => {
    const text = characters.slice(0, length).join('');
    return marked(depth, sources, [{ ...best, text: `${text.replace(/\s+\S*$/u, '')}…` }], count);
  };
  let [fits, tooLong] = [1, characters.length];
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (cutAt(middle).tokenCount <= budget) fits = middle;
    else tooLong = middle;
  }
  return cutAt(fits);
}

/** Sentences that follow each other in one memory share a mark. */
function marked(
  depth: Depth,
  sources: readonly Source[],
  sentences: readonly Sentence[],
  count: Count,
): Extract {
  const quoted = [...new Set(sentences.map(({ source }) => source))];
  const parts = sentences.map(({ source, text }, index) =>
    sentences[index + 1]?.source === source ? text : `${text} [${quoted.indexOf(source) + 1}]`,
  );
  const content = parts.join(' ');
  return {
    depth,
    content,
    tokenCount: count(content),
    sources: quoted.map((source) => ({ id: sources[source]!.id, revision: sources[source]!.revision })),
  };
}
