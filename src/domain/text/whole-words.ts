/** A pattern of whole words, whatever their case. */
export const wholeWords = (...words: readonly string[]): RegExp =>
  new RegExp(`(?<!\\p{L})(?:${words.join('|')})(?!\\p{L})`, 'iu');
