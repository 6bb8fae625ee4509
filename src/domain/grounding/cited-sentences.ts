import { isSupported } from './support.ts';

/** A sentence that a language model wrote, with the numbers of the texts that it cites, counted from 1. */
export interface CitedSentence {
  readonly text: string;
  readonly sources: readonly number[];
}

/** Maximum length of a sentence in UTF-16 units. */
const longest = 1_000;
const marks = /\s*\[[\d,\s]+\]/g;

/** Why an answer is not used. `incomplete`: a part is missing, or nothing of it fits. `unsupported`: too much of it failed the check. */
export type Unusable = 'incomplete' | 'unsupported';

/** Least share of the sentences of an answer that must pass the check. */
export const leastKept = 0.5;

/** The sentence on one line. Marks that the model wrote are removed, because readers would take them for ours. */
export function cleaned({ text, sources }: CitedSentence): CitedSentence {
  return {
    text: text.replaceAll(marks, '').replaceAll(/\s+/g, ' ').trim(),
    sources: [...new Set(sources)],
  };
}

/** Whether a sentence cites only texts that the model was shown, and they support it. `shown` has the terms of each text. */
export function isBacked({ text, sources }: CitedSentence, shown: readonly ReadonlySet<string>[]): boolean {
  const cited = sources.map((number) => shown[number - 1]);
  if (text === '' || text.length > longest || cited.length === 0) return false;
  return cited.every((terms) => terms !== undefined) && isSupported(text, cited);
}

/** The first sentence with each text, in their order: the most important ones come first. */
export function distinct(sentences: readonly CitedSentence[]): CitedSentence[] {
  const byText = new Map<string, CitedSentence>();
  for (const sentence of sentences) if (!byText.has(sentence.text)) byText.set(sentence.text, sentence);
  return [...byText.values()];
}

/** Numbers the sources in the order in which they are first cited. */
export class Marks {
  readonly cited: number[] = [];

  /** The marks of these sources, such as `[1][2]`. */
  of(sources: readonly number[]): string {
    for (const source of sources) if (!this.cited.includes(source)) this.cited.push(source);
    return sources.map((source) => `[${this.cited.indexOf(source) + 1}]`).join('');
  }
}
