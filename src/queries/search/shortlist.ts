import type { MemoryView } from '../../domain/memory/view.ts';
import type { Moved } from '../../domain/ranking/precedence-order.ts';
import type { CandidateSignals, Scorer } from '../../domain/ranking/score.ts';
import { shingleSteps } from '../../domain/text/shingles.ts';
import { runInSlices } from '../../support/time-slice.ts';
import { memoryOf, type MemoryRow } from '../memory-row.ts';
import type { ExplainedCandidate } from './explanation.ts';
import { dropNearDuplicates } from './near-duplicates.ts';

export interface Scored {
  readonly memory: MemoryView;
  readonly score: number;
  /** Number of the passage that matches best, if its text is long. */
  readonly passage?: number | undefined;
  /** Whether a link says that it is superseded; undefined if links were not read. */
  readonly isSuperseded?: boolean;
  /** Log-odds of `score` that are from feedback; undefined if there is none. */
  readonly feedback?: number | undefined;
  /** Whether it replaces another result, or is replaced by one (`SameMatter`); set by the order by precedence. */
  readonly isChanged?: boolean;
  /** Why the order by precedence placed it before another result. */
  readonly moved?: Moved | undefined;
  /** Whether its writer or an admin says that it does not hold (`isRefuted`). */
  readonly isRefuted?: boolean | undefined;
  /** Log-odds of `score` that are from the value of the memory; undefined if there is none. */
  readonly value?: number | undefined;
  /** Log-odds of `score` that the age of the memory took; undefined if it took none. */
  readonly decay?: number | undefined;
  /** Number of the part of a decomposed question that it answers best; undefined if it only resembles the whole question. */
  readonly part?: number | undefined;
}

/** A memory as it is read for a search. */
export interface FoundRow extends MemoryRow {
  readonly is_superseded: boolean;
}

/** Says which of the candidates to show. */
export interface ShortlistOptions extends CopyOptions {
  readonly topK: number;
  readonly threshold: number;
  /** How many candidates each source was asked for. */
  readonly limit: number;
}

/** How near-duplicates are treated in a search within another one. */
export interface CopyOptions {
  /** What scores less will not be in the final answer, so it replaces nothing that will. */
  readonly finalThreshold?: number | undefined;
  /** Whether to keep near-duplicates. */
  readonly keepsCopies?: boolean | undefined;
}

/** A candidate with its id, and the number of its best passage if its text is long. */
export interface Listed extends CandidateSignals {
  readonly id: string;
  readonly passageNumber?: number;
  readonly isRefuted?: boolean;
}

interface Estimate {
  readonly candidate: Listed;
  readonly score: number;
  readonly mayQuote: boolean;
}

/** Number of memories read in addition to `topK`, so that near-duplicates rarely require a second read. */
const spare = 5;

/** UTF-16 units of a text that is read at once. */
const maxAtOnce = 16_384;

/** Scores of copies of one text differ by less: their vectors were computed in different batches. */
const tie = 0.02;

/**
 * The best `topK` at or above the threshold, by score, without near-duplicates. Memories are read only for the candidates
 * that may be among them: the best by their signals, and those whose text may quote the query. The caller reads them; nothing
 * here needs the database.
 */
export class Shortlist {
  readonly #scorer: Scorer;
  readonly #options: ShortlistOptions;
  /** Most promising first. */
  readonly #estimates: readonly Estimate[];
  #taken = 0;
  #next: readonly Estimate[];
  #scored: Scored[] = [];
  #dropped = 0;

  constructor(candidates: readonly Listed[], scorer: Scorer, options: ShortlistOptions) {
    this.#scorer = scorer;
    this.#options = options;
    this.#estimates = candidates
      .map((candidate) => ({
        candidate,
        score: scorer.score(candidate),
        mayQuote: scorer.mayQuote(candidate),
      }))
      .sort((left, right) => Number(right.mayQuote) - Number(left.mayQuote) || right.score - left.score);
    this.#next = this.#nextEstimates();
  }

  /** Ids of the memories to read next; none if the best are known. */
  get missing(): readonly string[] {
    return this.#next.map(({ candidate }) => candidate.id);
  }

  /** Adds the rows that were read for `missing`. */
  async take(rows: readonly FoundRow[]): Promise<void> {
    if (this.#next.length === 0) return;
    const byId = new Map(rows.map((row) => [row.memory_id, row]));
    const { threshold, topK, finalThreshold, keepsCopies } = this.#options;
    for (const { candidate, score, mayQuote } of this.#next) {
      const row = byId.get(candidate.id);
      if (!row) continue;
      const final = mayQuote ? this.#scorer.score(await withText(candidate, row.value.content)) : score;
      if (final >= threshold) this.#scored.push(scoredOf(candidate, row, final));
    }
    this.#scored.sort(byScore);
    const kept = keepsCopies ? this.#scored : dropNearDuplicates(this.#scored, finalThreshold);
    this.#dropped += this.#scored.length - kept.length;
    this.#scored = kept;
    // A memory that was not read quotes nothing and scores at most the next estimate. A copy in a more specific layer may score
    // exactly that much.
    const bound = this.#estimates[this.#taken];
    const settled = this.#scored.filter(
      ({ score }) => bound === undefined || (!bound.mayQuote && score > bound.score),
    );
    this.#next = settled.length >= topK ? [] : this.#nextEstimates();
  }

  /** The best of all; `read` returns the missing memories. */
  async best(read: (ids: readonly string[]) => Promise<FoundRow[]>): Promise<Scored[]> {
    while (this.#next.length > 0) await this.take(await read(this.missing));
    return this.#scored.slice(0, this.#options.topK);
  }

  /**
   * Whether a source may have found little but copies: it returned all candidates it was asked for, and they were dropped as
   * copies, or are as good as the last of the best, of which there are several copies.
   */
  get isCrowded(): boolean {
    const { topK, limit } = this.#options;
    const best = this.#scored.slice(0, topK);
    if (best.length < topK) return best.length + this.#dropped >= limit;
    const { memory: last } = best.at(-1)!;
    const isRepeated = best.some(({ memory }) => memory !== last && memory.content === last.content);
    if (!isRepeated) return false;
    const own = this.#estimates.find(({ candidate }) => candidate.id === last.id)!.score;
    const asGood = this.#estimates.filter(({ score }) => score > own - tie).length;
    return asGood >= limit && asGood > topK;
  }

  /** Ids of the candidates that are read first, at most `count`. */
  first(count: number): readonly string[] {
    return this.#estimates.slice(0, count).map(({ candidate }) => candidate.id);
  }

  /** Explains the scores of the candidates whose `rows` are given, best first. */
  async explain(rows: readonly FoundRow[]): Promise<readonly ExplainedCandidate[]> {
    const { threshold, keepsCopies = false } = this.#options;
    const byId = new Map(rows.map((row) => [row.memory_id, row]));
    const kept = new Set(this.#scored.map(({ memory }) => memory.id));
    const explained: ExplainedCandidate[] = [];
    for (const [index, { candidate, mayQuote }] of this.#estimates.entries()) {
      const row = byId.get(candidate.id);
      if (!row) continue;
      const score = this.#scorer.explain(mayQuote ? await withText(candidate, row.value.content) : candidate);
      const wasTaken = index < this.#taken && score.relevance >= threshold;
      const isCopy = wasTaken && !keepsCopies && !kept.has(candidate.id);
      explained.push({ ...score, found: scoredOf(candidate, row, score.relevance), isCopy });
    }
    return explained.sort((left, right) => byScore(left.found, right.found));
  }

  #nextEstimates(): readonly Estimate[] {
    const start = this.#taken;
    // Doubles what was taken, so that many copies still require few reads.
    this.#taken += Math.max(this.#options.topK + spare, start);
    return this.#estimates
      .slice(start, this.#taken)
      .filter(({ mayQuote, score }) => mayQuote || score >= this.#options.threshold);
  }
}

/** A candidate with its text, for scores that depend on it. */
async function withText(candidate: Listed, text: string): Promise<CandidateSignals> {
  // Anybody's memory may have a megabyte, and nobody else is answered while its words are read.
  const isLong = text.length > maxAtOnce;
  return { ...candidate, text, ...(isLong && { shingles: await runInSlices(shingleSteps(text)) }) };
}

function scoredOf(candidate: Listed, row: FoundRow, score: number): Scored {
  const { feedback, value, decay, passageNumber, isRefuted } = candidate;
  return {
    memory: memoryOf(row),
    score,
    passage: passageNumber,
    isSuperseded: row.is_superseded,
    ...(feedback !== undefined && { feedback }),
    ...(isRefuted && { isRefuted }),
    ...(value !== undefined && { value }),
    ...(decay !== undefined && { decay }),
  };
}

/** Best first; the newest first among equal scores. */
export function byScore(left: Scored, right: Scored): number {
  return right.score - left.score || (left.memory.id < right.memory.id ? 1 : -1);
}
