import { luckOfBest, type PassageSignals } from './best-passage.ts';
import { match, type TermFrequencies, type WeightedTerms } from './bm25.ts';
import type { SpeakerMatch } from './speaker.ts';

/** Evidence for one candidate. Each value depends on the query, the memory and the tenant only. */
export interface Evidence {
  /** Cosine of query and memory, −1..1; absent if there is no vector to compare. */
  readonly cosine?: number;
  /** Cosine of the nearest passage of a long text, and by how much it is great by chance (`luckOfBest`). */
  readonly nearest?: { readonly cosine: number; readonly luck: number };
  /**
   * BM25 divided by the square root of the query's mass, ≥ 0; for a turn of a conversation the mean of its own and its window's.
   * Absent for a query without terms.
   */
  readonly lexical?: number;
  /**
   * How nearly the memory contains the query, 0..1: the harmonic mean of coverage and focus if both texts consist of the same
   * words, or the share of the query's shingles that a longer memory quotes.
   */
  readonly overlap: number;
  /** Absent if the memory has no speaker, or the question does not ask about it. */
  readonly speaker?: SpeakerMatch;
  /** How well the memory's time fits the question, 0..2 (`datedAs`). */
  readonly dated?: number;
}

/** Context of a memory, beside its own words and vector. Each part may be missing. */
export interface Surroundings {
  /** Terms of the turns around it, including its own (`windowOf`); absent for a memory outside of a session. */
  readonly window?: TermFrequencies | undefined;
  /** Absent for a text that is not divided. */
  readonly passages?: PassageSignals | undefined;
  readonly speaker?: SpeakerMatch | undefined;
  readonly dated?: number | undefined;
}

/** Weights of the signals for one embedding model, in units of its cosine. */
export interface FusionWeights {
  /** Weight of one unit of `Evidence.lexical`. */
  readonly lexical: number;
  /** Above about this cosine, the cosine counts `1 + nearGain` times. */
  readonly nearCosine: number;
  readonly nearGain: number;
  /** Weight of an overlap of 1; an overlap below `OVERLAP_FLOOR` counts nothing. */
  readonly overlap: number;
  readonly speaker: Readonly<Record<SpeakerMatch, number>>;
  /** Weight of one unit of `Evidence.dated`. */
  readonly dated: number;
}

/** Chance matches are below it in every data set; a sentence with one of seven content words changed is above it. */
export const OVERLAP_FLOOR = 0.75;

/** Share of the BM25 of the best passage that each standard deviation of luck takes. Fitted by `bench/ranking`. */
const WORDS_BY_LUCK = 0.2;
/** The same for its cosine, in units of the weight of words, because models spread their cosines differently. */
const COSINE_BY_LUCK = 0.3;

/** Width of the bend at `nearCosine`, which is smooth so that rounding never changes an order. */
const BEND = 0.02;

/**
 * Signals beyond the text, for experiments: every weight is 0 until data shows that the signal helps. Each is −1..1, with 0 for
 * "nothing known".
 */
export const SIGNALS = ['recency', 'access', 'links'] as const;
export type Signal = (typeof SIGNALS)[number];
export type SignalValues = Readonly<Partial<Record<Signal, number>>>;
export type SignalWeights = Readonly<Record<Signal, number>>;
export const SIGNALS_OFF: SignalWeights = { recency: 0, access: 0, links: 0 };

/** The evidence for one candidate. `quoted` returns the share of the query that its text contains word for word. */
export function evidence(
  query: WeightedTerms,
  memory: TermFrequencies,
  cosine: number | undefined,
  quoted: () => number = () => 0,
  { window, passages, speaker, dated }: Surroundings = {},
): Evidence {
  const luck = luckOfBest(passages?.count ?? 1);
  const near = passages?.cosine;
  const nearest = near === undefined ? {} : { nearest: { cosine: near, luck } };
  const whole = cosine === undefined || Number.isNaN(cosine) ? near : cosine;
  const dense = whole === undefined ? {} : { cosine: whole, ...nearest };
  // A query without content words asks about no speaker and no time.
  if (query.mass <= 0) return { ...dense, overlap: quoted() };
  const around = { ...(speaker !== undefined && { speaker }), ...(dated !== undefined && { dated }) };
  const { bm25: ofWhole, coverage, focus } = match(query, memory);
  // A long text counts with its best passage; the words of a question may also be spread over all of it.
  const ofPassage = passages?.terms ? match(query, passages.terms).bm25 / (1 + WORDS_BY_LUCK * luck) : 0;
  const own = Math.max(ofWhole, ofPassage);
  const bm25 = window === undefined ? own : (own + match(query, window).bm25) / 2;
  const sameness = coverage + focus > 0 ? (2 * coverage * focus) / (coverage + focus) : 0;
  // Only a memory with the query's words can quote it: other texts need not be read.
  const overlap = coverage < OVERLAP_FLOOR ? sameness : Math.max(sameness, quoted());
  // A compromise between the raw sum, which grows with every word of a long question, and the share of the query that is
  // matched, by which one matched word of one is as good as ten of ten.
  return { ...dense, ...around, lexical: bm25 / Math.sqrt(query.mass), overlap };
}

/**
 * Fuses the evidence into one number, in units of cosine; a missing signal adds nothing (the calibration distinguishes these
 * cases). Score fusion by a weighted sum: Bruch, Gai, Ingber, "An analysis of fusion functions for hybrid retrieval",
 * ACM TOIS 42(1), 2023; but on fixed scales, where they normalise over the candidates.
 */
export function fuse(
  found: Evidence,
  weights: FusionWeights,
  signals: SignalValues = {},
  signalWeights: SignalWeights = SIGNALS_OFF,
): number {
  const { lexical = 0, overlap, speaker, dated = 0 } = found;
  const cosine = cosineOf(found, weights);
  let fused = weights.lexical * lexical;
  fused += (weights.overlap * Math.max(0, overlap - OVERLAP_FLOOR)) / (1 - OVERLAP_FLOOR);
  if (cosine !== undefined) fused += cosine + weights.nearGain * softplus(cosine - weights.nearCosine, BEND);
  if (speaker !== undefined) fused += weights.speaker[speaker];
  fused += weights.dated * dated;
  for (const signal of SIGNALS) fused += signalWeights[signal] * (signals[signal] ?? 0);
  return fused;
}

/** The cosine of the whole text, or of the nearest passage if that is greater by more than luck. */
function cosineOf({ cosine, nearest }: Evidence, { lexical }: FusionWeights): number | undefined {
  if (cosine === undefined || nearest === undefined) return cosine;
  return Math.max(cosine, nearest.cosine - COSINE_BY_LUCK * lexical * nearest.luck);
}

/** 0 far below 0, x far above, smooth between. */
function softplus(x: number, width: number): number {
  return width * Math.log1p(Math.exp(x / width));
}
