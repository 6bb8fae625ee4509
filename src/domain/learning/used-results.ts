import { withFeedback } from '../ranking/feedback.ts';
import type { OutcomeSignal } from './outcome.ts';

/**
 * The memories that were used according to the explicit outcome of a search: its caller's latest post, or else the latest feedback on each
 * memory that was not withdrawn. Undefined without an explicit outcome: contexts, sessions and windows say nothing about the value of a memory.
 */
export function explicitlyUsed(signals: readonly OutcomeSignal[]): ReadonlySet<string> | undefined {
  const posted = signals.findLast(({ source }) => source === 'caller');
  if (posted) return new Set(posted.kind === 'used' ? posted.memoryIds : []);
  const judged = new Map<string, boolean>();
  for (const { source, kind, memoryIds } of signals) {
    if (source !== 'feedback') continue;
    for (const id of memoryIds)
      if (kind === 'withdrawn') judged.delete(id);
      else judged.set(id, kind === 'used');
  }
  if (judged.size === 0) return undefined;
  return new Set([...judged].flatMap(([id, isUsed]) => (isUsed ? [id] : [])));
}

interface Shown {
  readonly memoryId: string;
  readonly relevance: number;
  readonly value?: number | undefined;
}

interface UsedResult {
  readonly memoryId: string;
  readonly relevance: number;
  readonly used: boolean;
}

/**
 * Whether each result of a search was used. Relevances are without the value that was added, because values are measured against them.
 * Memories that were not shown do not count.
 */
export function usedResults(results: readonly Shown[], used: ReadonlySet<string>): UsedResult[] {
  return results.map(({ memoryId, relevance, value = 0 }) => ({
    memoryId,
    relevance: withFeedback(relevance, -value),
    used: used.has(memoryId),
  }));
}

/** The user in the metadata of an event; undefined for a caller without one. */
export function userOf(metadata: {
  readonly actor: string;
  readonly onBehalfOf?: string | undefined;
}): string | undefined {
  const prefix = 'user:';
  const { actor, onBehalfOf } = metadata;
  return onBehalfOf ?? (actor.startsWith(prefix) ? actor.slice(prefix.length) : undefined);
}
