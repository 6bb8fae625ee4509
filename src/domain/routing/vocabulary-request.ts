import { MAX_PHRASE } from './planner/known-values.ts';
import { kindOf, type ValueKind } from './planner/ordered-values.ts';
import { phrase, readQuestion, singulars, type Span } from './planner/question.ts';
import { keyOf } from './vocabulary.ts';

/** The values that a vocabulary must hold for one question. It always holds all fields. */
export interface VocabularyRequest {
  /** Values with one of these keys. */
  readonly keys: readonly string[];
  /** All values of these kinds. A filter must list them because they do not sort as texts. */
  readonly kinds: readonly ValueKind[];
}

/** Only this many words are looked up: what follows is pasted text. */
const MAX_WORDS = 200;

/** The values that `planOf` may look up in the vocabulary. */
export function vocabularyRequestOf(text: string): VocabularyRequest {
  const question = readQuestion(text);
  const { tokens, quoted } = question;
  const keys = new Set<string>();
  const add = (span: Span) => {
    const key = phrase(question, span);
    keys.add(key);
    for (const form of singulars(key)) keys.add(form);
  };
  const end = Math.min(tokens.length, MAX_WORDS);
  for (let from = 0; from < end; from++)
    for (let to = from + 1; to <= Math.min(end, from + MAX_PHRASE); to++) add({ from, to });
  for (const span of quoted) if (span.to <= end) add(span);
  keys.delete('');
  const hasVersion = tokens.some(({ word }) => kindOf(word) === 'version');
  return { keys: [...keys], kinds: hasVersion ? ['version'] : [] };
}

/** Matches only from the start of a word, so that a long run of letters is scanned once and not from each letter. */
const NAME = /(?<![\p{L}\p{N}])[\p{L}\p{N}]+(?:[-_][\p{L}\p{N}]+)+/gu;
const MAX_NAMES = 100;

/**
 * Keys of the possible identifiers in a text, in its order: words joined by hyphens or underscores that contain a digit, such
 * as `eip-1559` or the parts of a path. At most `MAX_NAMES`.
 */
export function namesIn(text: string): string[] {
  const names = (text.match(NAME) ?? []).filter((name) => /\p{N}/u.test(name) && /\p{L}/u.test(name));
  return [...new Set(names.map(keyOf))].slice(0, MAX_NAMES);
}
