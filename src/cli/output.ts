/** Prints one JSON value, for programs. */
export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, null, 2));
}

/** Makes stored text safe for a terminal: replaces control and bidirectional characters. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}

/** Like `printable`, but keeps line ends and tabs. */
export function printableLines(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.split('\t').map(printable).join('\t'))
    .join('\n');
}

/** The beginning of a text on one line. */
export function preview(text: string, width: number): string {
  const line = printable(text.replaceAll(/\s+/g, ' ')).trim();
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`;
}

/** Rows with aligned columns. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
