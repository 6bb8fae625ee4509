import { match, weigh, type TermFrequencies, type TermStatistics } from './bm25.ts';
import { probability, type ModelScale } from './calibration.ts';
import { askedMonths, isOfMonth } from './dates.ts';
import {
  evidence,
  fuse,
  OVERLAP_FLOOR,
  SIGNALS_OFF,
  type SignalValues,
  type SignalWeights,
} from './fusion.ts';
import { scaleOf } from './scales.ts';
import { speakerMatcher } from './speaker.ts';
import { containment, quotable, shingles } from '../text/shingles.ts';

export interface RankedQuery {
  /**
   * The query as it was asked: a memory that quotes it is an answer, however long it is, and whom and which month it asks
   * about is read from it.
   */
  readonly text?: string;
  /** The keys of `termCounts(query).counts`. */
  readonly terms: readonly string[];
  /** Of the caller's tenant: of all its memories, whatever scope is searched. */
  readonly statistics: TermStatistics;
  /** Id of the embedding model that made the cosines; unknown ids get a cautious scale (`UNKNOWN_MODEL`). */
  readonly model?: string | undefined;
  /** Instead of the one that is known for the model. */
  readonly scale?: ModelScale | undefined;
  /** All 0 unless given. */
  readonly signalWeights?: SignalWeights;
}

export interface Candidate extends TermFrequencies {
  /** With the query's vector, of the same model; absent where there is none. */
  readonly cosine?: number | undefined;
  readonly signals?: SignalValues;
  readonly text?: string;
  /** Of a turn in a session: the terms of its window (`windowOf`), its own among them. */
  readonly window?: TermFrequencies;
  /** Who said it (`speakerOf`). */
  readonly speaker?: string;
  /** ISO 8601. */
  readonly occurredAt?: string;
}

/** Of a text of signs that is the query itself: all that can be known says so, and models know little of signs. */
const LEAST_OF_SAME_SIGNS = 0.7;

/** Scores candidates of one query. */
export interface Scorer {
  /**
   * A calibrated probability in [0, 1] that the memory is relevant. It depends on the query, the memory with the turns around
   * it in its session, and the tenant's term statistics: never on the other candidates, the scope searched or another tenant.
   * Among candidates with the same kinds of evidence it orders as the fused score does.
   */
  score(candidate: Candidate): number;
  /** Whether the memory has enough of the query's words to quote it: then its text may raise its score. */
  mayQuote(candidate: TermFrequencies): boolean;
}

export function scorerOf(query: RankedQuery): Scorer {
  const scale = query.scale ?? scaleOf(query.model);
  const terms = weigh(query.terms, query.statistics);
  const wanted = query.text === undefined ? undefined : quotable(query.text);
  const matchSpeaker = query.text === undefined ? undefined : speakerMatcher(query.text);
  const months = query.text === undefined ? [] : askedMonths(query.text);
  // Signs alone have no terms to compare and no words to quote: they are the same text or not.
  const isWordless = query.terms.length === 0;
  return {
    score(candidate) {
      const isSameSigns =
        isWordless && candidate.text !== undefined && query.text?.trim() === candidate.text.trim();
      const quoted = () => {
        if (isWordless) return isSameSigns ? 1 : 0;
        return wanted && candidate.text !== undefined ? containment(wanted, shingles(candidate.text)) : 0;
      };
      const { window, speaker, occurredAt } = candidate;
      const found = evidence(terms, candidate, candidate.cosine, quoted, {
        window,
        speaker: speaker === undefined ? undefined : matchSpeaker?.(speaker),
        dated: occurredAt === undefined ? undefined : isOfMonth(occurredAt, months),
      });
      const fused = fuse(found, scale.fusion, candidate.signals, query.signalWeights ?? SIGNALS_OFF);
      const likely = probability(fused, found, scale);
      return isSameSigns ? LEAST_OF_SAME_SIGNS + (1 - LEAST_OF_SAME_SIGNS) * likely : likely;
    },
    mayQuote: (candidate) =>
      isWordless
        ? candidate.length === 0
        : wanted !== undefined && match(terms, candidate).coverage >= OVERLAP_FLOOR,
  };
}

/** The score of each candidate, in their order. */
export function scoreCandidates(query: RankedQuery, candidates: readonly Candidate[]): number[] {
  const scorer = scorerOf(query);
  return candidates.map((candidate) => scorer.score(candidate));
}
