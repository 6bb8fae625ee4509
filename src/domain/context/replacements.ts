import { inconsistencySteps } from '../consistency/detect-inconsistencies.ts';
import type { ComparableMemory } from '../consistency/comparable-memory.ts';
import { groupBy } from '../group-by.ts';
import { scopeKeys, type Layer } from '../layers.ts';
import { SupersessionGraph } from '../links/supersession-graph.ts';
import { sentencesOf } from '../text/sentences.ts';

/** A memory as it is compared with the others that were found. */
export interface ComparedMemory extends ComparableMemory {
  readonly layer: Layer;
}

/** Only the first of these are compared: the work grows with the square. */
const mostCompared = 10;
/** In UTF-16 units. Longer memories speak of more than one thing. */
const longest = 2_000;
/** A memory of more sentences may also say what still holds. */
const mostSentences = 2;
/** As certain as `onConflict: supersede` requires. */
const leastConfidence = 0.8;

const noLinks = { supersessions: new SupersessionGraph([]), contradicts: [] };

/**
 * The newest memory that wholly replaces each one by what both say, among those of one layer and scope, in steps of bounded work. It
 * works without links, because callers who store a new fact rarely name the old one.
 */
export function* replacementSteps(
  memories: readonly ComparedMemory[],
): Generator<undefined, ReadonlyMap<string, string>, undefined> {
  const compared = memories.filter(({ content }) => content.length <= longest).slice(0, mostCompared);
  const places = groupBy(compared, ({ layer, scope }) =>
    JSON.stringify([layer, scopeKeys.map((key) => scope[key])]),
  );
  const replaced = new Map<string, string>();
  for (const group of places.values()) {
    if (group.length < 2) continue;
    const { supersessions } = yield* inconsistencySteps(group, noLinks);
    const contents = new Map(group.map(({ id, content }) => [id, content]));
    for (const { memory, supersededBy, confidence } of supersessions) {
      const isWholly = sentencesOf(contents.get(memory)!).length <= mostSentences;
      if (confidence >= leastConfidence && isWholly) replaced.set(memory, supersededBy);
    }
  }
  return new Map([...replaced].map(([id, by]) => [id, lastOf(replaced, by)]));
}

/** The end of a chain; where it is a cycle, some memory of it. */
function lastOf(replaced: ReadonlyMap<string, string>, id: string): string {
  const seen = new Set<string>();
  let last = id;
  for (let next = replaced.get(last); next !== undefined && !seen.has(next); next = replaced.get(last)) {
    seen.add(next);
    last = next;
  }
  return last;
}
