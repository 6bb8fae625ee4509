import type { Line } from './calibration.ts';
import { fuse, type Evidence, type FusionWeights } from './fusion.ts';
import { logOdds } from './score-scale.ts';

/** The parts of a score, in the order in which they are added up. */
export const scoreParts = [
  'base',
  'dense',
  'lexical',
  'overlap',
  'speaker',
  'time',
  'same-text',
  'feedback',
  'value',
  'decay',
  'conditions',
] as const;

/** What one part adds to the log-odds of the relevance, which are the sum of all parts. */
export interface ScorePart {
  readonly part: (typeof scoreParts)[number];
  readonly logOdds: number;
}

/** The relevance of a candidate, with what it is made of. */
export interface ExplainedScore {
  readonly relevance: number;
  readonly evidence: Evidence;
  /** Only those that are not 0. Empty if the relevance is 0. */
  readonly parts: readonly ScorePart[];
}

/** What is added to the log-odds of the calibrated probability. */
export interface AddedLogOdds {
  readonly feedback: number;
  readonly value: number;
  readonly decay: number;
}

/**
 * The parts of a score. The part of a piece of evidence is what `fuse` returns for it alone, which is exact because the fusion is a sum.
 *
 * @param likely The probability that the calibration gives.
 * @param raised The same, raised if the text equals the query.
 */
export function partsOf(
  evidence: Evidence,
  { intercept, slope }: Line,
  weights: FusionWeights,
  {
    likely,
    raised,
    added,
  }: { readonly likely: number; readonly raised: number; readonly added: AddedLogOdds },
): readonly ScorePart[] {
  const alone = (some: Omit<Evidence, 'overlap'>, overlap = 0) => slope * fuse({ ...some, overlap }, weights);
  const { cosine, nearest, lexical, overlap, speaker, dated } = evidence;
  const parts: readonly ScorePart[] = [
    { part: 'base', logOdds: intercept },
    {
      part: 'dense',
      logOdds: cosine === undefined ? 0 : alone({ cosine, ...(nearest && { nearest }) }),
    },
    { part: 'lexical', logOdds: lexical === undefined ? 0 : alone({ lexical }) },
    { part: 'overlap', logOdds: alone({}, overlap) },
    { part: 'speaker', logOdds: speaker === undefined ? 0 : alone({ speaker }) },
    { part: 'time', logOdds: dated === undefined ? 0 : alone({ dated }) },
    { part: 'same-text', logOdds: raised === likely ? 0 : logOdds(raised) - logOdds(likely) },
    { part: 'feedback', logOdds: added.feedback },
    { part: 'value', logOdds: added.value },
    { part: 'decay', logOdds: added.decay },
  ];
  return parts.filter((each) => each.logOdds !== 0);
}
