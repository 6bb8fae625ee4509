import type { TermFrequencies } from './bm25.ts';

/** How many turns before and after a turn of a session are its window: what it answers, and what is said to it. */
export const WINDOW = { before: 2, after: 1 } as const;

/**
 * The terms of the window of the turn at `index`, its own among them. `turns` are those of one session in their order
 * (`occurredAt`, then the order in which they were stored).
 */
export function windowAt(turns: readonly TermFrequencies[], index: number): TermFrequencies {
  return windowOf(turns.slice(Math.max(0, index - WINDOW.before), index + WINDOW.after + 1));
}

/** The terms of a turn and those around it, as if they were one text. */
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
