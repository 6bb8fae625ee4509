/** Scripts that are written without spaces between words. */
const spaceless =
  /[\u2E80-\u2FDF\u3000-\u30FF\u31F0-\u31FF\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\uFF00-\uFFEF]/u;
const hyphenated = /(\p{L}+)[-\u2010]$/u;
/** Words that follow a hyphen that stands for the rest of a word, as in "Vor- und Nachteile". */
const conjunction = /^(?:und|oder|bzw\.?|and|or|to|bis|et|ou|y|o|e|en|of)\b/iu;
const sentenceEnd = /[.!?:;。！？：；]["'”’»)\]」』]*$/u;

/** Joins two parts of a line with a space, if their script has spaces. */
export function joinWords(before: string, after: string): string {
  const isSpaceless = spaceless.test(before.at(-1) ?? '') && spaceless.test(after[0] ?? '');
  return isSpaceless ? before + after : `${before} ${after}`;
}

/**
 * Joins a line with the next. A word that was hyphenated at the end of the line becomes one word again, unless the document writes it
 * with a hyphen elsewhere; `words` has all that it writes in lower case.
 */
export function joinLines(before: string, after: string, words: ReadonlySet<string>): string {
  if (before === '') return after;
  if (before.endsWith('\u00AD')) return before.slice(0, -1) + after;
  const [, head] = hyphenated.exec(before) ?? [];
  if (head === undefined) {
    // A number or a name that was broken behind its hyphen, such as "K7-" and "3".
    const isBroken = /[\p{L}\p{N}][-\u2010]$/u.test(before) && /^[\p{Lu}\p{N}]/u.test(after);
    return isBroken ? before + after : joinWords(before, after);
  }
  if (conjunction.test(after)) return `${before} ${after}`;
  const [tail = ''] = /^\p{L}+/u.exec(after) ?? [];
  if (!/^\p{Ll}/u.test(tail)) return /^[\p{Lu}\p{N}]/u.test(after) ? before + after : `${before} ${after}`;
  const isCompound = words.has(`${head}-${tail}`.toLowerCase()) && !words.has((head + tail).toLowerCase());
  return isCompound ? before + after : before.slice(0, -1) + after;
}

/** The words of lines with the hyphens within them, in lower case. Those at the end of a line do not count. */
export function wordsOf(lines: Iterable<string>): Set<string> {
  const words = new Set<string>();
  for (const line of lines) {
    for (const [word] of line.toLowerCase().matchAll(/\p{L}+(?:[-\u2010]\p{L}+)*(?![-\u2010\p{L}])/gu))
      words.add(word);
  }
  return words;
}

export function endsSentence(text: string): boolean {
  return sentenceEnd.test(text);
}
