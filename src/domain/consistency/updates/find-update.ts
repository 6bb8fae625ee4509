import { changedValues } from './changed-values.ts';
import { changedChoices, choicesIn } from './choices.ts';
import { changedHolders, holdersIn } from './holders.ts';
import { ended, endsIn, resumed } from './ended.ts';
import { indexSteps, type SentenceIndex } from './sentence-index.ts';
import type { Comparison, Update } from './support.ts';

const RULES: readonly ((comparison: Comparison) => readonly Update[])[] = [
  changedValues,
  changedChoices,
  changedHolders,
  ended,
  resumed,
];

/**
 * The best supported update between the sentences of two memories; undefined if there is none. What both memories say word for
 * word is no news and not outdated.
 */
export function findUpdate(comparison: Comparison): Update | undefined {
  // Between two long texts no updates are looked for: they share words and numbers by chance.
  if (!comparison.older.isNote && !comparison.newer.isNote) return undefined;
  const updates = RULES.flatMap((rule) => rule(comparison)).filter(
    ({ passages: [older, newer] }) =>
      !comparison.newer.texts.has(older) && !comparison.older.texts.has(newer),
  );
  return updates.reduce<Update | undefined>(
    (best, update) => (best === undefined || update.support > best.support ? update : best),
    undefined,
  );
}

/** The sentences of a text in steps, with everything extracted that the rules look for, so that a comparison itself takes little time. */
export function* preparedIndex(text: string): Generator<undefined, SentenceIndex, undefined> {
  const sentences = yield* indexSteps(text);
  for (const [index, sentence] of sentences.sentences.entries()) {
    choicesIn(sentence);
    holdersIn(sentence);
    endsIn(sentence);
    if (index % 8 === 7) yield;
  }
  return sentences;
}
