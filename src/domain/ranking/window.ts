import type { TermFrequencies } from './bm25.ts';

/** Turns before and after a turn of a session that form its window: what it replies to, and the reply to it. */
export const WINDOW = { before: 2, after: 1 } as const;

/**
 * The terms of the window of the turn at `index`, including its own. `turns` are those of one session in their order: by
 * `occurredAt`, then by when they were stored.
 */
export function windowAt(turns: readonly TermFrequencies[], index: number): TermFrequencies {
  return windowOf(turns.slice(Math.max(0, index - WINDOW.before), index + WINDOW.after + 1));
}

/** The terms of several turns, as of one text. */
export function windowOf(turns: readonly TermFrequencies[]): TermFrequencies {
  const termFrequencies = new Map<string, number>();
  let length = 0;
  for (const turn of turns) {
    length += turn.length;
    for (const [term, frequency] of turn.termFrequencies) {
      termFrequencies.set(term, (termFrequencies.get(term) ?? 0) + frequency);
    }
  }
  return { termFrequencies, length };
}
