/** Numbers that are written as words. */
export const NUMBER_WORDS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');

/**
 * Numbers with separators of thousands, as sources of a regular expression: "12,450.00", "12'450", "12,34,567", and "12.450,00". In
 * "1,2,3", "1234,567" and "12,345,67" the commas separate a list.
 */
export const GROUPED_NUMBERS: readonly string[] = [
  String.raw`(?<![\p{L}\p{N}.,'’])\d{1,3}(?:(?:,\d{2})*,\d{3}|(?:[,'’]\d{3})+)(?:\.\d+)?(?![.,'’]?\d)`,
  String.raw`(?<![\p{L}\p{N}.,'’])\d{1,3}(?:\.\d{3})+,\d{1,2}(?![.,'’]?\d)`,
];

const GROUPED = /^\d{1,3}[,'’]|,\d{1,2}$/;

/** A grouped number as digits, without decimals that are 0: "12,450.00" becomes "12450"; any other word is returned unchanged. */
export function ungrouped(word: string): string {
  if (!GROUPED.test(word)) return word;
  const isContinental = word.includes('.') && /,\d{1,2}$/.test(word);
  const plain = isContinental ? word.replaceAll('.', '').replace(',', '.') : word.replaceAll(/[,'’]/g, '');
  return plain.replace(/\.0+$/, '');
}

/** The parts of a grouped number that may be a list of numbers as well ("101,102,103"); none for others. */
export function groupsOf(word: string): readonly string[] {
  return /^\d{3}(?:,\d{3})+$/.test(word) ? word.split(',') : [];
}

/**
 * Other ways in which a word of digits and dots, or a hexadecimal number, is written: an amount without its cents ("450.00"), points
 * as separators of thousands ("12.450"), and digits without "0x".
 */
export function otherNumbers(word: string): readonly string[] {
  if (/^\d+\.00$/.test(word)) return [word.slice(0, -3)];
  if (/^\d{1,3}(?:\.\d{3})+$/.test(word)) return [word.replaceAll('.', '')];
  return /^0x[\da-f]{2,}$/.test(word) ? [word.slice(2)] : [];
}
