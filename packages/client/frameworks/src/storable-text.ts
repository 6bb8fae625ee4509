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

/** A text in parts of at most `length` UTF-16 units. */
export function partsOf(text: string, length: number): string[] {
  const parts: string[] = [];
  for (let start = 0; start < text.length || parts.length === 0;) {
    const end = start + length;
    // Both halves of a character belong to the same part.
    const isSplit = end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1));
    const part = text.slice(start, isSplit ? end - 1 : end);
    parts.push(part);
    start += part.length;
  }
  return parts;
}
