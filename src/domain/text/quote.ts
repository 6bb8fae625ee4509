/** Any line break of Unicode. */
const lineBreak = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/gu;
/** A mark such as `[9]` in any brackets and digits, with invisible characters in it. */
const mark = /[[［【〔〚⟦](?<number>[\s\p{Cf}]*\p{Nd}+[\s\p{Cf}]*)[\]］】〕〛⟧]/gu;
/** What an index in code follows directly: a name, or the end of another expression. */
const indexed = /[\p{L}\p{Nd}_$)\]]/u;
const indent = '  ';

/**
 * Indents every line of a stored text but the first, and ends each line with `\n`. In a text whose headings and items begin at the left
 * margin, no line of the stored text can be taken for one of them. Code keeps its shape.
 */
export function indentFollowingLines(text: string): string {
  return text.replace(lineBreak, '\n').replace(/\n(?!\n|$)/g, `\n${indent}`);
}

/** Like `indentFollowingLines`, with the first line indented, too. */
export function indentLines(text: string): string {
  return indent + indentFollowingLines(text);
}

/**
 * A stored text as it stands in a text with marks `[n]` and notes `(…)` of its own, which it cannot forge: lines after the first are
 * indented, `[9]` becomes `(9)`, and a parenthesis at the beginning is escaped. An index in code stays one: `argv[2]` becomes `argv[ 2]`.
 */
export function quoteText(text: string): string {
  const unmarked = text.replace(mark, (_, number: string, at: number) =>
    at > 0 && indexed.test(text[at - 1]!) ? `[ ${number.trim()}]` : `(${number.trim()})`,
  );
  return indentFollowingLines(unmarked).replace(/^(?=[\p{Cf}]*[(（⟮])/u, '\\');
}
