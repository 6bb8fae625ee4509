import { jaccard, NEAR_DUPLICATE, shingles, type Shingles } from '../text/shingles.ts';
import { SupersessionGraph } from '../links/supersession-graph.ts';
import { inconsistencySteps, type Inconsistencies } from './detect-inconsistencies.ts';
import { lastToldAt } from '../memory/affirmation.ts';
import { mayDescribeSameEntity } from './same-entity.ts';
import type { ComparableMemory } from './comparable-memory.ts';

export const conflictKinds = ['contradicts', 'supersedes', 'duplicates'] as const;
export type ConflictKind = (typeof conflictKinds)[number];

/** A memory in the form in which it is compared with a newly stored one. */
export interface StoredComparable extends ComparableMemory {
  /** When its content was stored; ISO 8601. */
  readonly updatedAt: string;
}

/** What a stored memory is to another one. */
export interface Conflict {
  readonly id: string;
  readonly kind: ConflictKind;
  /** Quotes both memories. */
  readonly reason: string;
  /** 0..1. */
  readonly confidence: number;
  /** True if the other memory is about a later time, so that the stored one does not replace it. */
  readonly isOutdated: boolean;
}

/** In UTF-16 units. Longer texts are duplicates only if they are equal. */
const maxShingled = 65_536;

const noLinks = { supersessions: new SupersessionGraph([]), contradicts: [] };

/**
 * Judges a stored memory against others, in steps of bounded work: which of them it contradicts, supersedes or duplicates. Most
 * certain first. A memory with a later time than the other one supersedes it; without times it contradicts it.
 */
export function* conflictSteps(
  stored: StoredComparable,
  others: readonly StoredComparable[],
): Generator<undefined, Conflict[], undefined> {
  const conflicts: Conflict[] = [];
  const duplicates = duplicatesOf(stored);
  for (const other of others) {
    const found = yield* inconsistencySteps([stored, other], noLinks);
    const conflict = judge(stored, other, found) ?? duplicates(other);
    if (conflict) conflicts.push({ id: other.id, isOutdated: timeOf(stored) < timeOf(other), ...conflict });
    yield;
  }
  return conflicts.sort((one, other) => other.confidence - one.confidence || (one.id < other.id ? -1 : 1));
}

type Judgement = Pick<Conflict, 'kind' | 'reason' | 'confidence'> & Partial<Pick<Conflict, 'isOutdated'>>;

function judge(
  stored: ComparableMemory,
  other: ComparableMemory,
  { contradictions, supersessions }: Inconsistencies,
): Judgement | undefined {
  const [supersession] = supersessions;
  if (supersession) {
    const { detail, confidence } = supersession.reasons[0]!;
    return supersession.supersededBy === stored.id
      ? { kind: 'supersedes', reason: detail, confidence, isOutdated: false }
      : { kind: 'contradicts', reason: `${detail}; ${other.id} is newer`, confidence, isOutdated: true };
  }
  const reason = contradictions[0]?.reasons[0];
  return reason && { kind: 'contradicts', reason: reason.detail, confidence: reason.confidence };
}

function duplicatesOf(stored: ComparableMemory): (other: ComparableMemory) => Judgement | undefined {
  let own: Shingles | undefined;
  return (other) => {
    if (!mayDescribeSameEntity(stored, other)) return undefined;
    if (stored.content === other.content)
      return { kind: 'duplicates', reason: 'both have the same content', confidence: 1 };
    if (Math.max(stored.content.length, other.content.length) > maxShingled) return undefined;
    own ??= shingles(stored.content);
    const similarity = jaccard(own, shingles(other.content));
    if (similarity < NEAR_DUPLICATE) return undefined;
    const share = Math.floor(similarity * 100);
    const reason = `${share} of 100 sequences of three words are the same in both`;
    return { kind: 'duplicates', reason, confidence: share / 100 };
  };
}

function timeOf({ updatedAt, ...memory }: StoredComparable): number {
  return Date.parse(lastToldAt({ ...memory, createdAt: updatedAt }));
}
