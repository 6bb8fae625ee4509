/** Scripts that put no spaces between words: a phrase in them has no bounds to look for. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
const wordPart = /[\p{L}\p{M}\p{N}_]/u;

/** A text in the form in which phrases are looked for: case, width and white space do not count. */
export function phraseForm(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
}

/**
 * Whether a text has a phrase as whole words; both in `phraseForm`. With `inflected`, an ending of English plurals may follow.
 */
export function hasPhrase(text: string, phrase: string, { inflected = false } = {}): boolean {
  if (phrase === '') return false;
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1)) {
    if (!isBound(text, phrase, at, 'before')) continue;
    const ends = inflected ? ['', 's', 'es'] : [''];
    if (ends.some((end) => text.startsWith(phrase + end, at) && isBound(text, phrase + end, at, 'after')))
      return true;
  }
  return false;
}

/** Whether a word ends where the phrase begins, or begins where it ends. */
function isBound(text: string, phrase: string, at: number, side: 'before' | 'after'): boolean {
  const inside = side === 'before' ? firstOf(phrase) : lastOf(phrase);
  const outside =
    side === 'before'
      ? lastOf(text.slice(Math.max(0, at - 2), at))
      : firstOf(text.slice(at + phrase.length, at + phrase.length + 2));
  return !wordPart.test(inside) || unspaced.test(inside) || !wordPart.test(outside) || unspaced.test(outside);
}

/** The first character, which may have two UTF-16 units. */
function firstOf(text: string): string {
  const code = text.codePointAt(0);
  return code === undefined ? '' : String.fromCodePoint(code);
}

function lastOf(text: string): string {
  const pair = text.slice(-2);
  return (pair.codePointAt(0) ?? 0) > 0xffff ? pair : text.slice(-1);
}
