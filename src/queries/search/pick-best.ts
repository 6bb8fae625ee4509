import type { MemoryView } from '../../domain/memory/view.ts';
import type { Candidate, Scorer } from '../../domain/ranking/score.ts';
import { memoryOf, type MemoryRow } from '../memory-row.ts';
import { dropNearDuplicates } from './near-duplicates.ts';

export interface Scored {
  readonly memory: MemoryView;
  readonly score: number;
  /** Whether a link says so; not told by those who did not look. */
  readonly isSuperseded?: boolean;
}

/** A memory as it is read for a search. */
export interface FoundRow extends MemoryRow {
  readonly is_superseded: boolean;
}

interface Wanted {
  readonly topK: number;
  readonly threshold: number;
}

/** Beyond `topK`, so that near-duplicates rarely make a second look necessary. */
const spare = 10;

/**
 * The best `topK` at or above the threshold, by score, without near-duplicates. Memories are loaded for the candidates
 * that may be among them and for no others: the best by their signals, and those whose text may quote the query.
 */
export async function pickBest(
  candidates: readonly (Candidate & { readonly id: string })[],
  scorer: Scorer,
  { topK, threshold }: Wanted,
  load: (ids: readonly string[]) => Promise<FoundRow[]>,
): Promise<Scored[]> {
  const estimates = candidates.map((candidate) => ({
    candidate,
    score: scorer.score(candidate),
    mayQuote: scorer.mayQuote(candidate),
  }));
  estimates.sort((left, right) => Number(right.mayQuote) - Number(left.mayQuote) || right.score - left.score);
  let scored: Scored[] = [];
  for (let start = 0; start < estimates.length;) {
    const end = start + topK + spare;
    const next = estimates.slice(start, end).filter(({ mayQuote, score }) => mayQuote || score >= threshold);
    if (next.length === 0) break;
    const rows = new Map(
      (await load(next.map(({ candidate }) => candidate.id))).map((row) => [row.memory_id, row]),
    );
    for (const { candidate, score, mayQuote } of next) {
      const row = rows.get(candidate.id);
      if (!row) continue;
      const final = mayQuote ? scorer.score({ ...candidate, text: row.value.content }) : score;
      if (final < threshold) continue;
      scored.push({ memory: memoryOf(row), score: final, isSuperseded: row.is_superseded });
    }
    start = end;
    scored = dropNearDuplicates(scored.sort(byScore));
    // What was not loaded quotes nothing and scores no more than the next estimate.
    const bound = estimates[start];
    const settled = scored.filter(
      ({ score }) => bound === undefined || (!bound.mayQuote && score >= bound.score),
    );
    if (settled.length >= topK) break;
  }
  return scored.slice(0, topK);
}

/** Best first; of equals the newest. */
export function byScore(left: Scored, right: Scored): number {
  return right.score - left.score || (left.memory.id < right.memory.id ? 1 : -1);
}
