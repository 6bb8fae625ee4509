import { successorsFirst } from '../../domain/links/successors-first.ts';
import { cutOff, passes, type Cut } from '../../domain/ranking/cut.ts';
import { scoreOf } from '../../domain/ranking/score-scale.ts';
import type { ResultOrder } from './answer.ts';
import type { Finding, Warning } from './finding.ts';
import type { Scored } from './shortlist.ts';

/** What an answer shows of what a search found. */
export interface Shown {
  readonly finding: Finding;
  /** The newest memory that supersedes a memory of the answer, by the id of the superseded one. */
  readonly superseding: ReadonlyMap<string, string>;
}

export interface ShowOptions {
  readonly cut: Cut;
  readonly topK: number;
  readonly order: ResultOrder;
  readonly includeSuperseded: boolean;
  /** See `CutOptions`. */
  readonly keepsDistant: boolean;
}

/** Ids of the memories that supersede a result and were not found themselves. */
export function missingSuccessors(
  best: readonly Scored[],
  superseding: ReadonlyMap<string, string>,
): readonly string[] {
  const known = new Set(best.map(({ memory }) => memory.id));
  return [...new Set(superseding.values())].filter((id) => !known.has(id));
}

/**
 * The results without what the cut excludes, each superseded one behind its successor. No superseded memory is shown without
 * its successor, if that was found. `successors` were not among the results.
 */
export function visibleResults(
  best: readonly Scored[],
  successors: readonly Scored[],
  superseding: ReadonlyMap<string, string>,
  { cut, includeSuperseded, keepsDistant }: ShowOptions,
): readonly Scored[] {
  const found = [...best, ...successors];
  const reached = new Set(cutOff(best, cut, { relevanceOf: ({ score }) => score, keepsDistant }));
  const followed = new Set([...reached].flatMap(({ memory }) => superseding.get(memory.id) ?? []));
  const passing = successorsFirst(
    found.filter((one) => reached.has(one) || (followed.has(one.memory.id) && passes(one.score, cut))),
    ({ memory }) => memory.id,
    (id) => superseding.get(id),
  );
  const [foundIds, passingIds] = [found, passing].map((some) => new Set(some.map(({ memory }) => memory.id)));
  return passing.filter(({ memory }) => {
    const newest = superseding.get(memory.id);
    return newest === undefined || !foundIds!.has(newest) || (includeSuperseded && passingIds!.has(newest));
  });
}

/** Says that the cut left everything out, with the best score; nothing if there was nothing to leave out. */
export function belowThreshold(leftOut: readonly Scored[]): readonly Warning[] {
  if (leftOut.length === 0) return [];
  const best = Math.max(...leftOut.map(({ score }) => scoreOf(score)));
  const memories = leftOut.length === 1 ? '1 memory was' : `${leftOut.length} memories were`;
  const detail = `nothing answers the question well enough: ${memories} left out, the best with a score of ${best.toFixed(3)}`;
  return [{ code: 'below-threshold', detail }];
}
