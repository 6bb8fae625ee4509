/** A text that a memory can hold: the server refuses U+0000 and lone surrogates, because not every database stores them. */
export function storableText(text: string): string {
  return text.replaceAll('\u0000', ' ').toWellFormed();
}

export function isStorableText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** Whether the server would refuse the text as a content because there is nothing in it. */
export function isBlank(text: string): boolean {
  return /^[\p{White_Space}\uFEFF]*$/u.test(text);
}
