import type { ModelScale } from '../ranking/calibration.ts';
import { SameMatter, type Compared } from '../ranking/same-matter.ts';
import { termCounts } from '../text/tokens.ts';
import type { Source } from './extract.ts';
import type { SummaryScope } from './summary-scope.ts';

/** Vectors of unit length of one model, by memory id, and the scale of their cosines. */
export interface ScopeVectors {
  readonly vectors: ReadonlyMap<string, Float32Array>;
  readonly scale: ModelScale;
}

/**
 * By the id of one of `sources`: the newest of `all` that probably tells, in other words, how it has changed. `all` belong to one scope.
 * Two of three such finds are right (facts that change, 2026-11-28), so a profile still quotes the older memory, but only with its
 * successor; `holdingSteps` finds what is sure. The work grows with the square of the number of vectors, and is done in steps.
 */
export function* successorSteps<One extends Source>(
  sources: readonly One[],
  { layer, scope }: SummaryScope,
  { vectors, scale }: ScopeVectors,
  all: readonly One[] = sources,
): Generator<undefined, ReadonlyMap<string, One>, undefined> {
  const successors = new Map<string, One>();
  // Turns of a conversation follow each other and replace nothing.
  if (layer === 'session') return successors;
  const compared = all
    .filter(({ id }) => vectors.has(id))
    .toSorted((left, right) => right.time.getTime() - left.time.getTime() || (left.id < right.id ? -1 : 1))
    .map((source) => ({
      source,
      id: source.id,
      text: source.content,
      layer,
      scope,
      time: source.time.getTime(),
      // There is no question.
      relevance: 0,
      substance: {
        vector: vectors.get(source.id)!,
        terms: new Set(termCounts(source.content).counts.keys()),
      },
    })) satisfies readonly Compared[];
  const matter = new SameMatter(compared, { question: '', scale });
  const asked = new Set(sources.map(({ id }) => id));
  const successorOf = (older: (typeof compared)[number]) =>
    compared.find((newer) => matter.tellsChangeOf(newer, older));
  for (const older of compared) {
    yield;
    if (!asked.has(older.id)) continue;
    // Ends, because each successor is newer than the one before.
    let last = older;
    for (let next = successorOf(older); next; next = successorOf(next)) last = next;
    if (last !== older) successors.set(older.id, last.source);
  }
  return successors;
}
