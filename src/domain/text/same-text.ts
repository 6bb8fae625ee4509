import { fold, termCounts, words } from './tokens.ts';

/**
 * `exact`: equal apart from case and surrounding white space. `near`: the same words in the same order, regardless of punctuation;
 * for texts without words, the same characters regardless of repetition.
 */
export type TextMatch = 'exact' | 'near';

/** UTF-16 units of a text that may be near another one. A question has at most 20,000. */
const maxNear = 100_000;

/** Returns a function that compares other texts with `text`; each comes with its number of terms (`termCounts(other).length`). */
export function textMatcher(text: string): (other: string, terms: number) => TextMatch | undefined {
  const exact = exactForm(text);
  let near: { readonly terms: number; readonly form: string } | undefined;
  return (other, terms) => {
    if (exactForm(other) === exact) return 'exact';
    // Nothing but punctuation would make it that long.
    if (other.length > maxNear) return undefined;
    near ??= { terms: termCounts(text).length, form: nearForm(text) };
    // Normalizing is slow. Texts with different numbers of terms cannot have the same words.
    return terms === near.terms && nearForm(other) === near.form ? 'near' : undefined;
  };
}

function exactForm(text: string): string {
  return text.trim().toLowerCase();
}

function nearForm(text: string): string {
  return words(text).join(' ') || charactersOf(text);
}

function charactersOf(text: string): string {
  return fold(text)
    .replaceAll(/\s+/g, '')
    .replaceAll(/(.)\1+/gu, '$1');
}
