import { MAX_PHRASE } from './planner/known-values.ts';
import { kindOf, type ValueKind } from './planner/ordered-values.ts';
import { phrase, readQuestion, singulars, type Span } from './planner/question.ts';
import { keyOf } from './vocabulary.ts';

/** What a vocabulary must hold of the values for one question, beside all fields. */
export interface VocabularyRequest {
  /** Values with one of these keys. */
  readonly keys: readonly string[];
  /** All values of these kinds: those that a filter must list because they do not sort as texts. */
  readonly kinds: readonly ValueKind[];
}

/** Words that are looked up at most: what follows is pasted text. */
const MAX_WORDS = 200;

/** What `planOf` may ask the vocabulary for. */
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

/** Begins where a word does: a long run of letters is gone through once, not from each of them. */
const NAME = /(?<![\p{L}\p{N}])[\p{L}\p{N}]+(?:[-_][\p{L}\p{N}]+)+/gu;
const MAX_NAMES = 100;

/**
 * The keys of what a text may name by an identifier, in its order: words joined by hyphens or underscores with a number
 * among them, as `eip-1559` or the parts of a path. At most `MAX_NAMES`.
 */
export function namesIn(text: string): string[] {
  const names = (text.match(NAME) ?? []).filter((name) => /\p{N}/u.test(name) && /\p{L}/u.test(name));
  return [...new Set(names.map(keyOf))].slice(0, MAX_NAMES);
}
