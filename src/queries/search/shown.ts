import type { TenantContext } from '../../domain/access/context.ts';
import type { Filter } from '../../domain/filter.ts';
import { successorsFirst } from '../../domain/links/successors-first.ts';
import { cutOff, passes, type Cut } from '../../domain/ranking/cut.ts';
import { scoreOf } from '../../domain/ranking/score-scale.ts';
import type { SearchRequest } from './query.ts';
import type { Finding, SearchService, Warning } from './search.ts';
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
  readonly includeSuperseded: boolean;
  /** See `CutOptions`. */
  readonly keepsDistant: boolean;
}

/**
 * Adds the successors of superseded memories, removes what the cut excludes, keeps `topK`, and orders them by precedence if the
 * request says so. No superseded memory is shown without its successor, if the caller sees it and it matches the filters.
 */
export async function shownOf(
  search: Pick<SearchService, 'find' | 'superseding' | 'inPrecedence'>,
  caller: TenantContext,
  request: SearchRequest,
  finding: Finding,
  { cut, topK, includeSuperseded, keepsDistant }: ShowOptions,
): Promise<Shown> {
  const superseding = await search.superseding(caller, finding, request.asOf);
  const added = await findMissing(search, caller, request, finding, [...new Set(superseding.values())]);
  const found = [...finding.best, ...added];
  const reached = new Set(cutOff(finding.best, cut, { relevanceOf: ({ score }) => score, keepsDistant }));
  const ids = new Set(found.map(({ memory }) => memory.id));
  const followed = new Set([...reached].flatMap(({ memory }) => superseding.get(memory.id) ?? []));
  const best = successorsFirst(
    found.filter((one) => reached.has(one) || (followed.has(one.memory.id) && passes(one.score, cut))),
    ({ memory }) => memory.id,
    (id) => superseding.get(id),
  );
  const passing = new Set(best.map(({ memory }) => memory.id));
  const shown = best.filter(({ memory }) => {
    const newest = superseding.get(memory.id);
    return newest === undefined || !ids.has(newest) || (includeSuperseded && passing.has(newest));
  });
  if (shown.length > 0 || request.threshold === 0) {
    const kept = { ...finding, best: shown.slice(0, topK) };
    if (request.order !== 'precedence') return { finding: kept, superseding };
    const ordered = await search.inPrecedence(caller, request, kept, {
      found: finding.best.filter(({ memory }) => !superseding.has(memory.id)),
      // An explicit threshold alone decides.
      addsNewer: cut === 'focused',
    });
    return { finding: { ...finding, best: ordered.slice(0, topK) }, superseding };
  }
  const warnings = [...finding.warnings, ...(await belowThreshold(search, caller, request, found))];
  return { finding: { ...finding, best: [], warnings }, superseding };
}

/** The memories with these ids that are missing in a finding, scored for the same question and matching the same filters. */
async function findMissing(
  search: Pick<SearchService, 'find'>,
  caller: TenantContext,
  request: SearchRequest,
  { best }: Finding,
  ids: readonly string[],
): Promise<readonly Scored[]> {
  const known = new Set(best.map(({ memory }) => memory.id));
  const missing = ids.filter((id) => !known.has(id));
  if (missing.length === 0) return [];
  const isMissing: Filter = { kind: 'test', field: 'id', path: [], operator: 'in', value: missing };
  const filter: Filter = request.filter ? { kind: 'and', filters: [request.filter, isMissing] } : isMissing;
  return (await search.find(caller, { ...request, filter, topK: missing.length, threshold: 0 })).best;
}

/** Says that the cut left everything out, with the best score. Searches once more if the search itself applied it. */
async function belowThreshold(
  search: Pick<SearchService, 'find'>,
  caller: TenantContext,
  request: SearchRequest,
  found: readonly Scored[],
): Promise<readonly Warning[]> {
  const leftOut = found.length > 0 ? found : (await search.find(caller, { ...request, threshold: 0 })).best;
  if (leftOut.length === 0) return [];
  const best = Math.max(...leftOut.map(({ score }) => scoreOf(score)));
  const memories = leftOut.length === 1 ? '1 memory was' : `${leftOut.length} memories were`;
  const detail = `nothing answers the question well enough: ${memories} left out, the best with a score of ${best.toFixed(3)}`;
  return [{ code: 'below-threshold', detail }];
}
