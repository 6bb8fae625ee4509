import { bestPassage, type PassageMatch } from '../../../domain/ranking/best-passage.ts';
import type { WeightedTerms } from '../../../domain/ranking/bm25.ts';
import { searchedPassages, separatedText } from '../../../domain/memory/searched-text.ts';
import { searchedPassageTerms, searchedTerms } from '../../../domain/memory/searched-terms.ts';
import { lengthsOf } from '../../../domain/text/passage-terms.ts';
import type { TermSignal } from '../../../ports/word-index.ts';
import { bestStored } from '../sources/best-passages.ts';

/** The stored term counts of a memory: those of its current text. */
export interface CountedRow extends TermSignal {
  readonly memory_id: string;
  /** The text as it was (`joinedText`), if it differs from today's. */
  readonly old_text: string | null;
}

/** The term counts at the position of the search: those of an old text are counted now. */
export function countedSignal(
  { length, frequencies, old_text: text }: CountedRow,
  terms: readonly string[],
): TermSignal {
  if (text === null) return { length, frequencies };
  const counted = searchedTerms(separatedText(text));
  return { length: counted.length, frequencies: terms.map((term) => counted.counts.get(term) ?? 0) };
}

/** The stored terms of the passages of the current text; null for a short text. */
export interface PassageRow {
  readonly old_text: string | null;
  readonly lengths: string | null;
  readonly places: readonly (string | null)[];
}

/** The best passage at the position of the search. */
export function passageThen(
  { old_text: text, lengths, places }: PassageRow,
  weighted: WeightedTerms,
): PassageMatch | undefined {
  if (text === null) return lengths === null ? undefined : bestStored(weighted, lengths, places);
  const counted = searchedPassageTerms(separatedText(text));
  if (!counted) return undefined;
  return bestPassage(
    weighted,
    weighted.terms.map((term) => counted.places.get(term)),
    counted.lengths,
  );
}

/** Number of passages at the position of the search; null for a short text. */
export function passageCount({ old_text: text, lengths }: PassageRow): number | null {
  if (text === null) return lengths === null ? null : lengthsOf(lengths).length;
  return searchedPassages(separatedText(text)).length || null;
}
