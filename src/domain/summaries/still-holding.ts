import { replacementSteps, type ComparedMemory } from '../context/replacements.ts';
import { termCounts } from '../text/tokens.ts';
import type { Source } from './extract.ts';
import type { SummaryScope } from './summary-scope.ts';

/** Only the newest memories of a scope are compared, and only so many pairs of them: the work grows with the pairs. */
const maxCompared = 200;
const maxPairs = 500;
/** A word of more memories than this says little about whether two of them speak of the same matter. */
const maxMemoriesOfTerm = 12;

/**
 * Of the memories of one scope, those that no newer one among `all` replaces by what both say, in steps of bounded work. This is
 * where summaries and profiles leave out what is outdated, beside the links and the judgements of callers.
 */
export function* holdingSteps<One extends Source>(
  sources: readonly One[],
  { layer, scope }: SummaryScope,
  all: readonly Source[] = sources,
): Generator<undefined, readonly One[], undefined> {
  // Turns of a conversation are no notes that replace each other, however alike they are.
  if (layer === 'session') return sources;
  const newestFirst = all.toSorted(
    (left, right) => right.time.getTime() - left.time.getTime() || (left.id < right.id ? -1 : 1),
  );
  const compared = newestFirst.slice(0, maxCompared).map(({ id, content, time }): ComparedMemory => ({
    id,
    content,
    layer,
    scope,
    metadata: {},
    occurredAt: time.toISOString(),
  }));
  const ids = new Set(sources.map(({ id }) => id));
  const pairs = pairsWithCommonTerms(compared).filter(([, older]) => ids.has(older.id));
  yield;
  const replacements: (readonly [newer: string, older: string])[] = [];
  for (const [newer, older] of pairs.slice(0, maxPairs)) {
    const found = yield* replacementSteps([newer, older]);
    if (found.has(older.id)) replacements.push([newer.id, older.id]);
    yield;
  }
  const replaced = new Set(withoutSeries(replacements).map(([, older]) => older));
  return sources.filter(({ id }) => !replaced.has(id));
}

/** A memory that is in more replacements than this belongs to a series of like notes ("Shift 1 …", "Shift 2 …"), of which all hold. */
const maxReplacements = 2;

function withoutSeries(replacements: readonly (readonly [string, string])[]) {
  const counts = new Map<string, number>();
  for (const id of replacements.flat()) counts.set(id, (counts.get(id) ?? 0) + 1);
  return replacements.filter((pair) => pair.every((id) => counts.get(id)! <= maxReplacements));
}

/** Pairs of a memory and a later one of the list that share a term which is not common among all of them. */
function pairsWithCommonTerms(
  memories: readonly ComparedMemory[],
): (readonly [ComparedMemory, ComparedMemory])[] {
  const holders = new Map<string, number[]>();
  for (const [at, { content }] of memories.entries())
    for (const term of termCounts(content).counts.keys()) {
      const places = holders.get(term);
      if (places) places.push(at);
      else holders.set(term, [at]);
    }
  const later = memories.map(() => new Set<number>());
  for (const places of holders.values())
    if (places.length <= maxMemoriesOfTerm)
      for (const [index, first] of places.entries())
        for (const second of places.slice(index + 1)) later[first]!.add(second);
  return later.flatMap((others, first) =>
    [...others]
      .sort((one, other) => one - other)
      .map((second) => [memories[first]!, memories[second]!] as const),
  );
}
