import { orderByAge } from '../order-by-age.ts';
import { haveSameSpeaker, mayDescribeSameEntity } from '../same-entity.ts';
import type { ComparableMemory } from '../comparable-memory.ts';
import type { Verdict } from '../verdict.ts';
import type { SentenceIndex } from './sentence-index.ts';
import { findUpdate } from './find-update.ts';
import type { Update } from './support.ts';

/**
 * Compares what two memories say sentence by sentence: one of them has another value for the same thing, or says that it has
 * ended. Without a time that puts them in order, both directions are tried and the better supported one counts.
 */
export function compareSentences(
  left: ComparableMemory,
  right: ComparableMemory,
  [own, others]: readonly [SentenceIndex, SentenceIndex],
): Verdict | undefined {
  if (!mayDescribeSameEntity(left, right)) return undefined;
  const isOnePerson = haveSameSpeaker(left, right);
  const order = orderByAge(left, right);
  const forwards =
    order?.older === right ? undefined : findUpdate({ older: own, newer: others, isOnePerson });
  const backwards =
    order?.older === left ? undefined : findUpdate({ older: others, newer: own, isOnePerson });
  if (order) {
    const update = forwards ?? backwards;
    if (!update) return undefined;
    return {
      kind: 'supersession',
      older: order.older.id,
      newer: order.newer.id,
      reason: reasonOf(update),
    };
  }
  const update = backwards && backwards.support > (forwards?.support ?? 0) ? mirrored(backwards) : forwards;
  return update
    ? { kind: 'contradiction', memories: [left.id, right.id], reason: reasonOf(update) }
    : undefined;
}

function mirrored(update: Update): Update {
  const { words, passages } = update;
  return { ...update, words: [words[1], words[0]], passages: [passages[1], passages[0]] };
}

function reasonOf({ difference, words, passages, shared, support }: Update) {
  const subject = shared.length === 0 ? '' : ` about ${shared.join(', ')}`;
  return {
    code: 'update' as const,
    detail: `another ${difference}${subject}: ${JSON.stringify(words[0])}, then ${JSON.stringify(words[1])}`,
    confidence: confidenceOf(support),
    difference,
    words,
    passages,
    shared,
  };
}

/** Confidence from .7, at the minimum support, to .9. */
function confidenceOf(support: number): number {
  return Math.min(0.9, Math.round((0.7 + (support - 2.5) * 0.1) * 20) / 20);
}
