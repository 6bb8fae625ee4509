import { invalid } from '../problems.ts';
import type { MemoryEvent } from '../memory/events.ts';
import { evolve, initialState, type MemoryState, type MemoryValue } from '../memory/memory.ts';
import type { ReviewDecision } from './decisions.ts';
import { isWithheld, unrecordedTrust, type Trust } from './trust.ts';

/** What a reviewer decides about a memory. */
export interface Review {
  readonly decision: ReviewDecision;
  /** Name of the reviewer in history and audit. */
  readonly reviewer: string;
  /** The memory that it is merged into, or that it supersedes. */
  readonly other?: string | undefined;
  /** Until when a merged memory can be restored, as an ISO time. */
  readonly retentionUntil: string;
}

/** The events of a review of a memory with this history; none if it was decided like this before. Throws a `Problem` if it cannot be. */
export function decideReview(review: Review, history: readonly MemoryEvent[]): MemoryEvent[] {
  const state = history.reduce<MemoryState>(evolve, initialState);
  if (review.decision === 'undo') return undo(history);
  if (state.status !== 'active')
    throw invalid('id', 'is a memory that is deleted: there is nothing to decide');
  const { value } = state;
  const events = decided(review, value);
  const [first] = events;
  const isSame =
    events.length === 1 &&
    review.other === undefined &&
    first?.type === 'MemoryReviewed' &&
    value.trust?.state === first.data.trust.state &&
    value.trust.reviewedBy !== undefined;
  return isSame ? [] : events;
}

function decided({ decision, reviewer, other, retentionUntil }: Review, value: MemoryValue): MemoryEvent[] {
  const trust = value.trust ?? unrecordedTrust;
  const reviewed = (changes: Partial<Trust> = {}): MemoryEvent => ({
    type: 'MemoryReviewed',
    data: {
      memoryId: value.id,
      decision,
      trust: { ...trust, ...changes, reviewedBy: reviewer },
      ...(other !== undefined && { other }),
    },
  });
  switch (decision) {
    case 'approve':
      return [reviewed({ state: 'trusted' })];
    case 'reject':
      return [reviewed({ state: 'rejected' })];
    case 'keep':
      if (isWithheld(value))
        throw invalid('decision', 'keep is for memories that are found: approve or reject this one');
      return [reviewed()];
    case 'supersede':
      if (other === undefined) throw lacksOther(decision);
      return [reviewed({ state: 'trusted' })];
    case 'merge':
      if (other === undefined) throw lacksOther(decision);
      return [
        reviewed(),
        { type: 'MemoryDeleted', data: { memoryId: value.id, retentionUntil, because: 'merged' } },
      ];
    case 'undo':
      return [];
    default:
      return decision satisfies never;
  }
}

/** Brings back the trust from before the last decision, and a memory that was merged. */
function undo(history: readonly MemoryEvent[]): MemoryEvent[] {
  const at = history.findLastIndex(({ type }) => type === 'MemoryReviewed');
  const last = history[at];
  if (last?.type !== 'MemoryReviewed' || last.data.decision === 'undo')
    throw invalid('decision', 'undo takes the last decision back, and there is none');
  const before = history.slice(0, at).reduce<MemoryState>(evolve, initialState);
  const now = history.reduce<MemoryState>(evolve, initialState);
  if (before.status !== 'active' || (now.status !== 'active' && last.data.decision !== 'merge'))
    throw invalid('decision', 'undo is not possible: the memory was deleted after the decision');
  const { memoryId, other } = last.data;
  const trust = before.value.trust ?? unrecordedTrust;
  const undone: MemoryEvent = {
    type: 'MemoryReviewed',
    data: { memoryId, decision: 'undo', trust, ...(other !== undefined && { other }) },
  };
  // In this order: a memory that was withheld is withheld again.
  return now.status === 'deleted' ? [{ type: 'MemoryRestored', data: { memoryId } }, undone] : [undone];
}

/** The last decision about a memory, if it was not taken back. */
export function lastDecision(
  history: readonly MemoryEvent[],
): Extract<MemoryEvent, { type: 'MemoryReviewed' }>['data'] | undefined {
  const last = history.findLast(({ type }) => type === 'MemoryReviewed');
  return last?.type === 'MemoryReviewed' && last.data.decision !== 'undo' ? last.data : undefined;
}

function lacksOther(decision: ReviewDecision) {
  return invalid('with', `is required to ${decision}: the id of the other memory`);
}
