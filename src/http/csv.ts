export const csv = 'text/csv';
export const csvContentType = `${csv}; charset=utf-8; header=present`;

/** Texts that a spreadsheet takes for a formula, also behind the white space that it skips. */
const formula = /^[\t\r ]*[=+\-@]/;

/**
 * One line of CSV (RFC 4180) with these columns. A missing value is an empty cell, and an object is JSON. A text that a
 * spreadsheet would execute begins with a `'`.
 */
export function csvLine(item: object, columns: readonly string[]): string {
  const values = item as Readonly<Record<string, unknown>>;
  return `${columns.map((column) => cellOf(values[column])).join(',')}\r\n`;
}

/** The line that names the columns. */
export function csvHeader(columns: readonly string[]): string {
  return `${columns.map(cellOf).join(',')}\r\n`;
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text =
    typeof value === 'string' ? value : value instanceof Date ? value.toISOString() : JSON.stringify(value);
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
