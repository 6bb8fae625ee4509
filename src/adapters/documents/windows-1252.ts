/** Characters of windows-1252 from 0x80 on; a space where it has none. */
const characters = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

/**
 * Replaces control characters by what windows-1252 has in their place. Texts in it are often declared as ISO 8859-1, and some
 * versions of Node decode both alike. No text uses the control characters themselves.
 */
export function withoutControls(text: string): string {
  return text.replaceAll(/[\u0080-\u009F]/g, (control) => characters[control.charCodeAt(0) - 0x80] ?? ' ');
}
