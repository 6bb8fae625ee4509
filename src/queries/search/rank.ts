import { memoryValue } from '../../domain/learning/memory-value.ts';
import { weigh, type WeightedTerms } from '../../domain/ranking/bm25.ts';
import type { AskedTimes } from '../../domain/ranking/dates.ts';
import type { ModelScale } from '../../domain/ranking/calibration.ts';
import { feedbackOf, isRefuted } from '../../domain/ranking/feedback.ts';
import { scaleOf } from '../../domain/ranking/scales.ts';
import { scorerOfModels } from '../../domain/ranking/score-models.ts';
import { scorerOf } from '../../domain/ranking/score.ts';
import { windowOf } from '../../domain/ranking/window.ts';
import type { TermSignal } from '../../ports/word-index.ts';
import type { Collected } from './collect.ts';
import type { BestPassages } from './sources/best-passages.ts';
import { Shortlist, type Listed, type ShortlistOptions } from './shortlist.ts';
import type { Candidate as SourceCandidate } from './sources/candidate-source.ts';

export interface Ranking extends ShortlistOptions {
  /** The query as the caller sent it: quotations and persons are taken from it. */
  readonly query: string;
  readonly times: AskedTimes;
  /** Weight of the value in log-odds; 0 if values do not change the ranking. */
  readonly valueWeight: number;
  /** Id of the embedding model that made the cosines. */
  readonly model: string;
  /** Scale of the model, if it was registered with one. */
  readonly scale?: ModelScale | undefined;
  /** The models of spaces that the query was compared by, with the scales that they were registered with. */
  readonly scalesOfSpaces: ReadonlyMap<string, ModelScale | undefined>;
}

/** Scores the candidates; the shortlist takes the best of them. */
export function rank(
  { candidates, terms, statistics, judgements, uses, decays }: Collected,
  { query, times, valueWeight, model, scale = scaleOf(model), scalesOfSpaces, ...options }: Ranking,
): Shortlist {
  const ranked = { text: query, times, terms, statistics, model, scale };
  const scorer = scalesOfSpaces.size === 0 ? scorerOf(ranked) : scorerOfModels(ranked, scalesOfSpaces);
  const scorable = scorableOf(candidates, weigh(terms, statistics)).map((candidate) => {
    const [judged, use] = [judgements.get(candidate.id), uses.get(candidate.id)];
    const value = use && valueWeight * memoryValue(use);
    const decay = decays.get(candidate.id);
    return {
      ...candidate,
      ...(judged && { feedback: feedbackOf(judged, scale), isRefuted: isRefuted(judged) }),
      ...(value && { value }),
      ...(decay && { decay }),
    };
  });
  return new Shortlist(scorable, scorer, options);
}

function scorableOf(candidates: readonly SourceCandidate[], weighted: WeightedTerms): Listed[] {
  const counted = ({ length, frequencies }: TermSignal) => {
    const termFrequencies = new Map<string, number>();
    for (const [index, frequency] of frequencies.entries())
      if (frequency > 0) termFrequencies.set(weighted.terms[index]!, frequency);
    return { length, termFrequencies };
  };
  return candidates.map(
    ({
      memory_id: id,
      cosine,
      is_turn,
      speaker,
      occurred_at,
      neighbours,
      passages,
      byWords,
      byMeaning,
      cosines,
      ...row
    }) => {
      const own = counted(row);
      const passageNumber = bestOf(byWords, byMeaning, weighted);
      return {
        id,
        ...(passageNumber !== undefined && { passageNumber }),
        ...own,
        ...(cosine !== null && { cosine }),
        ...(cosines && { cosines }),
        ...(passages !== null && {
          passages: {
            count: passages,
            terms: byWords && counted(byWords),
            cosine: byMeaning?.cosine,
          },
        }),
        ...(is_turn && { window: windowOf([own, ...neighbours.map(counted)]) }),
        ...(speaker !== null && { speaker }),
        ...(occurred_at && { occurredAt: occurred_at.toISOString() }),
      };
    },
  );
}

/** The passage that holds at least this share of the query's weight is where the answer is, whatever is nearest by meaning. */
const minShare = 0.5;

function bestOf(
  byWords: BestPassages['byWords'],
  byMeaning: BestPassages['byMeaning'],
  { weights, mass }: WeightedTerms,
): number | undefined {
  const held = byWords?.frequencies.reduce(
    (sum, frequency, at) => (frequency > 0 ? sum + weights[at]! : sum),
    0,
  );
  if (byWords && (!byMeaning || (held ?? 0) >= minShare * mass)) return byWords.passage;
  return byMeaning?.passage;
}
