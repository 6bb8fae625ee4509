import { termCounts } from '../../../domain/text/tokens.ts';
import type { TermSignal } from '../../../ports/word-index.ts';

/** The stored term counts of a memory, of today's text. */
export interface CountedRow extends TermSignal {
  readonly memory_id: string;
  /** The text as it was, if it differs from today's. */
  readonly old_text: string | null;
}

/** The term counts as of then: those of an old text are counted now. */
export function countedSignal(
  { length, frequencies, old_text: text }: CountedRow,
  terms: readonly string[],
): TermSignal {
  if (text === null) return { length, frequencies };
  const counted = termCounts(text);
  return { length: counted.length, frequencies: terms.map((term) => counted.counts.get(term) ?? 0) };
}
