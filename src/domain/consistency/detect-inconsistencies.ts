import { completed } from '../steps.ts';
import type { SupersessionGraph } from '../links/supersession-graph.ts';
import { similarPairs } from './similar-texts.ts';
import { findDeclarations, declaredSupersessions, type Declaration } from './declared-supersessions.ts';
import { parseAssertion, assertionPairs } from './assertions.ts';
import { contradictionsFromLinks, supersessionsFromLinks } from './link-verdicts.ts';
import { shortTextOf } from './short-texts.ts';
import { compareFields } from './changed-fields.ts';
import type { ComparableMemory } from './comparable-memory.ts';
import type { CitedLink, Reason, Verdict } from './verdict.ts';
import type { SentenceIndex } from './updates/sentence-index.ts';
import { compareSentences } from './updates/compare-sentences.ts';
import { preparedIndex } from './updates/find-update.ts';
import { compareWording, type Wording } from './changed-wording.ts';

export interface Contradiction {
  /** Two ids, the one created first comes first. */
  readonly memories: readonly [string, string];
  /** The highest confidence of the reasons. */
  readonly confidence: number;
  readonly reasons: readonly Reason[];
}

export interface SupersededMemory {
  readonly memory: string;
  readonly supersededBy: string;
  readonly confidence: number;
  readonly reasons: readonly Reason[];
}

export interface Inconsistencies {
  readonly contradictions: readonly Contradiction[];
  readonly supersessions: readonly SupersededMemory[];
}

/** Links that are relevant for the compared memories. */
export interface LinkEvidence {
  readonly supersessions: SupersessionGraph;
  readonly contradicts: readonly CitedLink[];
}

/**
 * Finds memories that contradict or supersede each other, by their links, metadata fields and text. The result does not
 * depend on the order of `memories`. Every finding lists its reasons.
 */
export function detectInconsistencies(
  memories: readonly ComparableMemory[],
  links: LinkEvidence,
): Inconsistencies {
  return completed(inconsistencySteps(memories, links));
}

/** The same in steps of bounded work, so that a caller can let other work run between them. */
export function* inconsistencySteps(
  memories: readonly ComparableMemory[],
  links: LinkEvidence,
): Generator<undefined, Inconsistencies, undefined> {
  const sorted = [...memories].sort((left, right) => (left.id < right.id ? -1 : 1));
  const ids = new Set(sorted.map(({ id }) => id));
  const wording = yield* verdictsFromWording(sorted);
  return collect([
    ...supersessionsFromLinks(ids, links.supersessions),
    ...contradictionsFromLinks(ids, links.contradicts),
    ...(yield* verdictsFromFields(sorted)),
    ...wording,
    ...(yield* verdictsFromSentences(sorted, new Set(wording.map(pairOf)))),
  ]);
}

/** One memory may be compared with many others, one after the other. */
const known = new WeakMap<ComparableMemory, SentenceIndex>();

/** Compares the sentences of all pairs but those that `wording` has already explained. */
function* verdictsFromSentences(
  memories: readonly ComparableMemory[],
  explained: ReadonlySet<string>,
): Generator<undefined, Verdict[], undefined> {
  if (memories.length < 2) return [];
  const verdicts: Verdict[] = [];
  const sentences: SentenceIndex[] = [];
  for (const memory of memories) {
    const prepared = known.get(memory) ?? (yield* preparedIndex(memory.content));
    known.set(memory, prepared);
    sentences.push(prepared);
    yield;
  }
  for (const [index, left] of memories.entries())
    for (const [offset, right] of memories.slice(index + 1).entries()) {
      if (explained.has(`${left.id} ${right.id}`)) continue;
      const verdict = compareSentences(left, right, [sentences[index]!, sentences[index + 1 + offset]!]);
      if (verdict) verdicts.push(verdict);
      yield;
    }
  return verdicts;
}

function pairOf(verdict: Verdict): string {
  const ids = verdict.kind === 'contradiction' ? verdict.memories : [verdict.older, verdict.newer];
  return [...ids].sort().join(' ');
}

function* verdictsFromFields(
  memories: readonly ComparableMemory[],
): Generator<undefined, Verdict[], undefined> {
  const declarations: Declaration[][] = [];
  for (const memory of memories) {
    declarations.push(findDeclarations(memory));
    yield;
  }
  const verdicts: Verdict[] = [];
  for (const [index, left] of memories.entries())
    for (const [offset, right] of memories.slice(index + 1).entries()) {
      verdicts.push(...declaredSupersessions(left, declarations[index]!, right));
      verdicts.push(...declaredSupersessions(right, declarations[index + 1 + offset]!, left));
      const verdict = compareFields(left, right);
      if (verdict) verdicts.push(verdict);
      yield;
    }
  return verdicts;
}

function* verdictsFromWording(
  memories: readonly ComparableMemory[],
): Generator<undefined, Verdict[], undefined> {
  const wordings: Wording[] = [];
  for (const { content: text } of memories) {
    wordings.push({ text, shortText: shortTextOf(text), assertion: parseAssertion(text) });
    yield;
  }
  const pairs = [
    ...similarPairs(wordings.map(({ shortText }) => shortText)),
    ...assertionPairs(wordings.map(({ assertion }) => assertion)),
  ];
  const distinct = new Map(pairs.map((pair) => [pair.join(' '), pair]));
  const verdicts: Verdict[] = [];
  for (const [left, right] of distinct.values()) {
    const verdict = compareWording(memories[left]!, memories[right]!, [wordings[left]!, wordings[right]!]);
    if (verdict) verdicts.push(verdict);
    yield;
  }
  return verdicts;
}

/** Merges verdicts into one entry per pair of memories. */
function collect(verdicts: readonly Verdict[]): Inconsistencies {
  const contradictions = new Map<string, { memories: readonly [string, string]; reasons: Reason[] }>();
  const supersessions = new Map<string, { memory: string; supersededBy: string; reasons: Reason[] }>();
  for (const verdict of verdicts) {
    if (verdict.kind === 'contradiction') {
      const [first, second] = [...verdict.memories].sort() as [string, string];
      const key = `${first} ${second}`;
      const known = contradictions.get(key) ?? { memories: [first, second], reasons: [] };
      known.reasons.push(verdict.reason);
      contradictions.set(key, known);
    } else {
      const { older: memory, newer: supersededBy } = verdict;
      const key = `${memory} ${supersededBy}`;
      const known = supersessions.get(key) ?? { memory, supersededBy, reasons: [] };
      known.reasons.push(verdict.reason);
      supersessions.set(key, known);
    }
  }
  return { contradictions: sortByConfidence(contradictions), supersessions: sortByConfidence(supersessions) };
}

/** Sorts entries by key and their reasons by confidence, highest first. */
function sortByConfidence<Entry extends { readonly reasons: readonly Reason[] }>(
  entries: ReadonlyMap<string, Entry>,
): (Entry & { readonly confidence: number })[] {
  return [...entries]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, entry]) => {
      const reasons = [...entry.reasons].sort((left, right) => right.confidence - left.confidence);
      return { ...entry, confidence: reasons[0]!.confidence, reasons };
    });
}
