import { configOf, type Spaces } from '../spaces/spaces.ts';
import type { DeletionCause } from './events.ts';
import type { MemoryState, MemoryValue } from './memory.ts';

const dayMs = 86_400_000;

/**
 * Days after which a memory with these labels is deleted: the longest retention of its spaces. Undefined if it has no space, or one
 * without a retention, which keeps it.
 */
export function retentionDaysOf(spaces: Spaces, labels: readonly string[]): number | undefined {
  const days = labels.map((label) => configOf(spaces, label).retentionDays ?? Infinity);
  const longest = Math.max(...days);
  return Number.isFinite(longest) ? longest : undefined;
}

/** Memories that were created before this time are older than so many days. */
export function createdBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * dayMs);
}

/** Why the program itself deletes a memory. */
export type PruningCause = Extract<DeletionCause, 'expired' | 'retention'>;

/** What is needed to tell whether the time of a memory is over. */
type Lifetime = Pick<MemoryValue, 'spaces' | 'expiresAt' | 'retention'>;

/** Why the time of a memory is over; undefined if it is not. The age of a memory counts from its creation. */
export function overBecause(
  { spaces: labels, expiresAt, retention }: Lifetime,
  { createdAt, now, spaces }: { readonly createdAt: Date; readonly now: Date; readonly spaces: Spaces },
): PruningCause | undefined {
  if (retention === 'keep') return undefined;
  if (expiresAt !== undefined && new Date(expiresAt) <= now) return 'expired';
  const days = retentionDaysOf(spaces, labels);
  return days !== undefined && createdAt < createdBefore(now, days) ? 'retention' : undefined;
}

/** What a memory counts towards the quota of each of its spaces, in bytes of UTF-8. Only active ones do. */
export function bytesBySpace(state: MemoryState): ReadonlyMap<string, number> {
  if (state.status !== 'active') return new Map();
  const bytes = Buffer.byteLength(state.value.content);
  return new Map(state.value.spaces.map((space) => [space, bytes]));
}
