import { cutReasons, leastScoreShown, reasonOfCut } from '../../domain/ranking/cut.ts';
import type { ScorePart } from '../../domain/ranking/score-parts.ts';
import { logOdds } from '../../domain/ranking/score-scale.ts';
import type { Choice, ExplainedCandidate, SearchExplanation } from './explanation.ts';
import type { SourceKind } from './sources/candidate-source.ts';
import type { Scored } from './shortlist.ts';

/** Why a candidate is not in the answer. */
export const leftOutReasons = [...cutReasons, 'superseded', 'duplicate', 'combination', 'top-k'] as const;
export type LeftOutReason = (typeof leftOutReasons)[number];

/** Where a source placed a candidate, in one of the searches. */
export interface SourceRank {
  /** Index of the search. */
  readonly search: number;
  readonly source: SourceKind;
  readonly inPeriods: boolean;
  /** 1-based. */
  readonly rank: number;
}

export interface JudgedCandidate {
  /** As found by the search that scored it highest, with its relevance in the answer. */
  readonly found: Scored;
  readonly candidate: ExplainedCandidate;
  readonly parts: readonly ScorePart[];
  readonly ranks: readonly SourceRank[];
  /** Undefined for a result. */
  readonly leftOut: LeftOutReason | undefined;
}

/** The answer that candidates are judged by. */
export interface JudgedAnswer {
  /** Ids of the memories in it. */
  readonly results: ReadonlySet<string>;
  /** Whether it combines the parts of a divided question. */
  readonly isDecomposed: boolean;
}

/** The candidates of all searches, each once, best first. */
export function judgedCandidates(
  { searches, choice }: SearchExplanation,
  answer: JudgedAnswer,
): readonly JudgedCandidate[] {
  const best = new Map<string, ExplainedCandidate>();
  for (const { attempt } of searches)
    for (const one of attempt.candidates) {
      const { id } = one.found.memory;
      if (one.relevance > (best.get(id)?.relevance ?? -1)) best.set(id, one);
    }
  const ranks = ranksOf(searches);
  const scored = new Map(
    [...(choice?.successors ?? []), ...(choice?.best ?? [])].map((one) => [one.memory.id, one]),
  );
  return [...best]
    .map(([id, candidate]) => {
      const found = scored.get(id) ?? candidate.found;
      return {
        found,
        candidate,
        parts: withConditions(candidate, found.score),
        ranks: ranks.get(id) ?? [],
        leftOut: answer.results.has(id) ? undefined : reasonOf(candidate, choice, scored.get(id), answer),
      };
    })
    .sort((left, right) => right.found.score - left.found.score);
}

/** The least score that the answer shows; undefined if nothing was found. */
export function leastShown(choice: Choice | undefined): number | undefined {
  if (!choice) return undefined;
  const { cut, keepsDistant } = choice.options;
  return leastScoreShown(bestOf(choice), cut, keepsDistant);
}

function ranksOf(searches: SearchExplanation['searches']): ReadonlyMap<string, readonly SourceRank[]> {
  const ranks = new Map<string, SourceRank[]>();
  for (const [search, { attempt }] of searches.entries())
    for (const { kind, inPeriods, ids } of attempt.sources) {
      if (kind === 'scan') continue;
      for (const [index, id] of ids.entries())
        ranks.set(id, [...(ranks.get(id) ?? []), { search, source: kind, inPeriods, rank: index + 1 }]);
    }
  return ranks;
}

/** Adds the part `conditions`, because the answer to a divided question changes the scores that single searches gave. */
function withConditions(
  { parts, relevance }: Pick<ExplainedCandidate, 'parts' | 'relevance'>,
  final: number,
): readonly ScorePart[] {
  if (final === relevance || relevance === 0 || final === 0) return parts;
  return [...parts, { part: 'conditions', logOdds: logOdds(final) - logOdds(relevance) }];
}

function reasonOf(
  { found, relevance, isCopy }: ExplainedCandidate,
  choice: Choice | undefined,
  scored: Scored | undefined,
  { results, isDecomposed }: JudgedAnswer,
): LeftOutReason {
  if (!choice) return 'top-k';
  if (scored === undefined && isCopy) return 'duplicate';
  const { superseding, options } = choice;
  const newest = superseding.get(found.memory.id);
  if (newest !== undefined && (!options.includeSuperseded || !results.has(newest))) return 'superseded';
  const { cut, keepsDistant } = options;
  const reason = reasonOfCut(scored?.score ?? relevance, bestOf(choice), cut, keepsDistant);
  if (reason) return reason;
  return scored === undefined && isDecomposed ? 'combination' : 'top-k';
}

function bestOf({ best }: Choice): number {
  return Math.max(0, ...best.map(({ score }) => score));
}
