import type { PassageSignals } from './best-passage.ts';
import { match, weigh, type TermFrequencies, type TermStatistics } from './bm25.ts';
import { lineFor, probability, type ModelScale } from './calibration.ts';
import { askedTimes, datedAs, type AskedTimes } from './dates.ts';
import { withFeedback } from './feedback.ts';
import {
  evidence,
  fuse,
  OVERLAP_FLOOR,
  SIGNALS_OFF,
  type Evidence,
  type SignalValues,
  type SignalWeights,
} from './fusion.ts';
import { scaleOf } from './scales.ts';
import { partsOf, type ExplainedScore } from './score-parts.ts';
import { speakerMatcher } from './speaker.ts';
import { carriesMeaning } from '../text/carries-meaning.ts';
import { textMatcher, type TextMatch } from '../text/same-text.ts';
import { containment, quotable, shingles, type Shingles } from '../text/shingles.ts';
import { termCounts } from '../text/tokens.ts';

export interface RankedQuery {
  /**
   * The query as the caller sent it: a memory that quotes it is an answer, however long it is, and the speakers that it asks about
   * are read from it.
   */
  readonly text?: string;
  /** Times that it asks about; default: those that do not depend on the present. */
  readonly times?: AskedTimes | undefined;
  /** `queryTerms` of the query. */
  readonly terms: readonly string[];
  /** Of the caller's tenant: over all its memories, whatever scope is searched. */
  readonly statistics: TermStatistics;
  /** Id of the embedding model that made the cosines; an unknown model gets a cautious scale (`UNKNOWN_MODEL`). */
  readonly model?: string | undefined;
  /** Overrides the built-in scale of the model. */
  readonly scale?: ModelScale | undefined;
  /** All 0 unless given. */
  readonly signalWeights?: SignalWeights;
}

/** Cosine of two vectors of one model. */
export interface ModelCosine {
  /** Id of the model. */
  readonly model: string;
  readonly cosine: number;
}

export interface CandidateSignals extends TermFrequencies {
  /** Cosine with the query's vector, of the same model; absent if there is none. */
  readonly cosine?: number | undefined;
  /** Cosines with the query's vectors of other models, if the memory has vectors of them (`scorerOfModels`). */
  readonly cosines?: readonly ModelCosine[] | undefined;
  readonly signals?: SignalValues;
  /** Log-odds that feedback adds (`feedbackOf`). */
  readonly feedback?: number | undefined;
  /** Log-odds that its value adds: the weighted `memoryValue`. */
  readonly value?: number | undefined;
  /** Log-odds that its age takes (`decayOf`); never positive. */
  readonly decay?: number | undefined;
  readonly text?: string;
  /** The shingles of `text`, if they were made before. */
  readonly shingles?: Shingles;
  /** For a turn of a session: the terms of its window (`windowOf`), including its own. */
  readonly window?: TermFrequencies;
  /** Signals of its passages, if its text is long. */
  readonly passages?: PassageSignals;
  /** Who said it (`speakerOf`). */
  readonly speaker?: string;
  /** ISO 8601. */
  readonly occurredAt?: string;
}

/** Minimum relevance of a text that equals the query: the surest match, although models know little about punctuation and lone words. */
const MIN_OF_SAME_TEXT = 0.7;

/** Scores candidates of one query. */
export interface Scorer {
  /**
   * A calibrated probability in [0, 1] that the memory is relevant. It depends on the query, the memory with its feedback, value and age, the
   * turns around it in its session, and the tenant's term statistics; never on other candidates, the scope searched, or another tenant.
   * Among candidates with the same kinds of evidence the order is that of the fused score.
   */
  score(candidate: CandidateSignals): number;
  /** Whether the memory has enough of the query's words to quote it or to be the same text. Then reading its text may raise the score. */
  mayQuote(candidate: TermFrequencies): boolean;
  /** What the score is made of, for a candidate as `score` takes it. */
  explain(candidate: CandidateSignals): ExplainedScore;
}

export function scorerOf(query: RankedQuery): Scorer {
  const scale = query.scale ?? scaleOf(query.model);
  const terms = weigh(query.terms, query.statistics);
  const wanted = query.text === undefined ? undefined : quotable(query.text);
  const matchSpeaker = query.text === undefined ? undefined : speakerMatcher(query.text);
  const times = query.times ?? (query.text === undefined ? undefined : askedTimes(query.text));
  const samenessOf = query.text === undefined ? undefined : textMatcher(query.text);
  // Punctuation has no terms to compare and no words to quote: it is the same text or not.
  const isWordless = query.terms.length === 0;
  // If the query says nothing, its vector says nothing either.
  const hasMeaning = query.text === undefined || carriesMeaning(query.text);
  // Includes numbers that name a time: they are words of the text, but not terms of the query.
  const wordCount = query.text === undefined ? undefined : termCounts(query.text).length;
  const samenessWith = ({ text, length }: CandidateSignals) =>
    text === undefined ? undefined : samenessOf?.(text, length);
  const evidenceOf = (candidate: CandidateSignals, sameness: TextMatch | undefined) => {
    const quoted = () => {
      if (isWordless) return sameness === 'exact' ? 1 : 0;
      return wanted && candidate.text !== undefined
        ? containment(wanted, candidate.shingles ?? shingles(candidate.text))
        : 0;
    };
    const { window, passages, speaker, occurredAt } = candidate;
    return evidence(terms, candidate, candidate.cosine, quoted, {
      window,
      passages,
      speaker: speaker === undefined ? undefined : matchSpeaker?.(speaker),
      dated: times && occurredAt !== undefined ? datedAs(occurredAt, times) : undefined,
    });
  };
  const likelihood = (found: Evidence, { signals }: CandidateSignals) => {
    const fused = fuse(found, scale.fusion, signals, query.signalWeights ?? SIGNALS_OFF);
    const { lexical = 0, dated = 0 } = found;
    return hasMeaning || lexical > 0 || dated > 0 ? probability(fused, found, scale) : 0;
  };
  return {
    score(candidate) {
      const { feedback = 0, value = 0, decay = 0 } = candidate;
      const sameness = samenessWith(candidate);
      const likely = likelihood(evidenceOf(candidate, sameness), candidate);
      return withFeedback(withSameText(likely, sameness), feedback + value + decay);
    },
    explain(candidate) {
      const { feedback = 0, value = 0, decay = 0 } = candidate;
      const sameness = samenessWith(candidate);
      const found = evidenceOf(candidate, sameness);
      const likely = likelihood(found, candidate);
      const raised = withSameText(likely, sameness);
      const relevance = withFeedback(raised, feedback + value + decay);
      const line = lineFor(found, scale);
      const added = { feedback, value, decay };
      const parts =
        line === undefined || likely === 0
          ? []
          : partsOf(found, line, scale.fusion, { likely, raised, added });
      return { relevance, evidence: found, parts };
    },
    mayQuote(candidate) {
      if (isWordless) return candidate.length === 0;
      const { coverage, focus } = match(terms, candidate);
      const isAsLong = focus === 1 || candidate.length === wordCount;
      return coverage >= OVERLAP_FLOOR && (wanted !== undefined || (coverage === 1 && isAsLong));
    },
  };
}

/** Raises the relevance of the same words to the minimum, and that of the exact text above it: "C++" is better than "C#" for "C++". */
function withSameText(likely: number, sameness: TextMatch | undefined): number {
  if (sameness === 'exact') return MIN_OF_SAME_TEXT + (1 - MIN_OF_SAME_TEXT) * likely;
  return sameness === 'near' ? Math.max(likely, MIN_OF_SAME_TEXT) : likely;
}
