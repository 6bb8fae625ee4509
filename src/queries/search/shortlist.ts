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

/** What of the candidates is to be shown. */
export interface Wanted {
  readonly topK: number;
  readonly threshold: number;
  /** How many candidates each engine was asked for. */
  readonly perEngine: number;
  /** Where it is not the answer yet: what scores less will be cut in the end. */
  readonly passing?: number | undefined;
  /** Near-duplicates are wanted too. */
  readonly keepsCopies?: boolean | undefined;
}

interface Estimate {
  readonly candidate: Candidate & { readonly id: string };
  readonly score: number;
  readonly mayQuote: boolean;
}

/** Beyond `topK`, so that near-duplicates rarely make a second look necessary. */
const spare = 5;

/** Copies of one text differ in their scores by less: their vectors were made beside different texts. */
const tie = 0.02;

/**
 * The best `topK` at or above the threshold, by score, without near-duplicates. Memories are read for the candidates
 * that may be among them and for no others: the best by their signals, and those whose text may quote the query. What
 * is done with them needs no database.
 */
export class Shortlist {
  readonly #scorer: Scorer;
  readonly #wanted: Wanted;
  /** The most promising first. */
  readonly #estimates: readonly Estimate[];
  #looked = 0;
  #next: readonly Estimate[];
  #scored: Scored[] = [];
  #dropped = 0;

  constructor(candidates: readonly (Candidate & { readonly id: string })[], scorer: Scorer, wanted: Wanted) {
    this.#scorer = scorer;
    this.#wanted = wanted;
    this.#estimates = candidates
      .map((candidate) => ({
        candidate,
        score: scorer.score(candidate),
        mayQuote: scorer.mayQuote(candidate),
      }))
      .sort((left, right) => Number(right.mayQuote) - Number(left.mayQuote) || right.score - left.score);
    this.#next = this.#look();
  }

  /** Ids of the memories to be read next; none where the best are known. */
  get missing(): readonly string[] {
    return this.#next.map(({ candidate }) => candidate.id);
  }

  /** Takes what was read of those that were missing. */
  take(rows: readonly FoundRow[]): void {
    if (this.#next.length === 0) return;
    const byId = new Map(rows.map((row) => [row.memory_id, row]));
    const { threshold, topK, passing, keepsCopies } = this.#wanted;
    for (const { candidate, score, mayQuote } of this.#next) {
      const row = byId.get(candidate.id);
      if (!row) continue;
      const final = mayQuote ? this.#scorer.score({ ...candidate, text: row.value.content }) : score;
      if (final < threshold) continue;
      this.#scored.push({ memory: memoryOf(row), score: final, isSuperseded: row.is_superseded });
    }
    this.#scored.sort(byScore);
    const kept = keepsCopies ? this.#scored : dropNearDuplicates(this.#scored, passing);
    this.#dropped += this.#scored.length - kept.length;
    this.#scored = kept;
    // What was not read quotes nothing and scores no more than the next estimate. As much as that a copy may have, of a
    // more specific layer.
    const bound = this.#estimates[this.#looked];
    const settled = this.#scored.filter(
      ({ score }) => bound === undefined || (!bound.mayQuote && score > bound.score),
    );
    this.#next = settled.length >= topK ? [] : this.#look();
  }

  /** The best of all; `read` answers the missing memories. */
  async best(read: (ids: readonly string[]) => Promise<FoundRow[]>): Promise<Scored[]> {
    while (this.#next.length > 0) this.take(await read(this.missing));
    return this.#scored.slice(0, this.#wanted.topK);
  }

  /**
   * Whether an engine may have found copies and little else: as many candidates as it was asked for would be shown but for
   * the copies among them, or are as good as the last of the best, which is there several times.
   */
  get isCrowded(): boolean {
    const { topK, perEngine } = this.#wanted;
    const best = this.#scored.slice(0, topK);
    if (best.length < topK) return best.length + this.#dropped >= perEngine;
    const { memory: last } = best.at(-1)!;
    const isRepeated = best.some(({ memory }) => memory !== last && memory.content === last.content);
    if (!isRepeated) return false;
    const own = this.#estimates.find(({ candidate }) => candidate.id === last.id)!.score;
    const asGood = this.#estimates.filter(({ score }) => score > own - tie).length;
    return asGood >= perEngine && asGood > topK;
  }

  #look(): readonly Estimate[] {
    const start = this.#looked;
    // Each look doubles what was looked at: however many copies there are, few looks are.
    this.#looked += Math.max(this.#wanted.topK + spare, start);
    return this.#estimates
      .slice(start, this.#looked)
      .filter(({ mayQuote, score }) => mayQuote || score >= this.#wanted.threshold);
  }
}

/** Best first; of equals the newest. */
export function byScore(left: Scored, right: Scored): number {
  return right.score - left.score || (left.memory.id < right.memory.id ? 1 : -1);
}
