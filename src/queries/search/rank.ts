import type { TermStatistics } from '../../domain/ranking/bm25.ts';
import type { AskedTimes } from '../../domain/ranking/dates.ts';
import type { ModelScale } from '../../domain/ranking/calibration.ts';
import { scorerOf, type Candidate } from '../../domain/ranking/score.ts';
import { windowOf } from '../../domain/ranking/window.ts';
import type { TermSignal } from '../../ports/word-index.ts';
import type { CandidateRow } from './candidates.ts';
import { Shortlist, type Wanted } from './shortlist.ts';

export interface Ranking extends Wanted {
  /** As it was asked: quotations and persons are read from it. */
  readonly query: string;
  readonly times: AskedTimes;
  readonly terms: readonly string[];
  readonly statistics: TermStatistics;
  /** Id of the model that made the cosines. */
  readonly model: string;
  /** How they are read, where the model brought that along. */
  readonly scale?: ModelScale | undefined;
}

/** The best of the candidates by our own score. */
export function rank(
  rows: readonly CandidateRow[],
  { query, times, terms, statistics, model, scale, ...wanted }: Ranking,
): Shortlist {
  const scorer = scorerOf({ text: query, times, terms, statistics, model, scale });
  return new Shortlist(candidatesOf(rows, terms), scorer, wanted);
}

interface FoundCandidate extends Candidate {
  readonly id: string;
}

function candidatesOf(rows: readonly CandidateRow[], terms: readonly string[]): FoundCandidate[] {
  const counted = ({ length, frequencies }: TermSignal) => {
    const termFrequencies = new Map<string, number>();
    for (const [index, frequency] of frequencies.entries())
      if (frequency > 0) termFrequencies.set(terms[index]!, frequency);
    return { length, termFrequencies };
  };
  return rows.map(({ memory_id: id, cosine, is_turn, speaker, occurred_at, neighbours, ...row }) => {
    const own = counted(row);
    return {
      id,
      ...own,
      ...(cosine !== null && { cosine }),
      ...(is_turn && { window: windowOf([own, ...neighbours.map(counted)]) }),
      ...(speaker !== null && { speaker }),
      ...(occurred_at && { occurredAt: occurred_at.toISOString() }),
    };
  });
}
