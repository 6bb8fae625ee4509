import { fold, termCounts, words } from './tokens.ts';

/**
 * `exact`: but for case and the space around it. `near`: the same words in the same order, whatever signs stand among them; of texts
 * without any word the same signs, however often each is repeated.
 */
export type TextMatch = 'exact' | 'near';

/** Tells of other texts, each with the number of its terms (`termCounts`), whether they are this one. */
export function textMatcher(text: string): (other: string, terms: number) => TextMatch | undefined {
  const exact = exactForm(text);
  let near: { readonly terms: number; readonly form: string } | undefined;
  return (other, terms) => {
    if (exactForm(other) === exact) return 'exact';
    near ??= { terms: termCounts(text).length, form: nearForm(text) };
    // To take a text apart takes long: where the numbers differ the words do.
    return terms === near.terms && nearForm(other) === near.form ? 'near' : undefined;
  };
}

function exactForm(text: string): string {
  return text.trim().toLowerCase();
}

function nearForm(text: string): string {
  return words(text).join(' ') || signsOf(text);
}

function signsOf(text: string): string {
  return fold(text)
    .replaceAll(/\s+/g, '')
    .replaceAll(/(.)\1+/gu, '$1');
}
