/** A part of a summary that ends with marks, and the sources that the marks name. */
export interface Statement {
  /** Without the marks. */
  readonly text: string;
  /** Indices in the sources of the summary. */
  readonly sources: readonly number[];
}

/** One or several marks: ` [1]`, ` [1] [4]`, ` [1][4]`. */
const marks = /\s(\[\d+\](?:,?\s?\[\d+\])*)(?=\s|$)/gu;

/**
 * The statements of a summary. A quoted memory may itself contain something that looks like a mark. Then marks name a source twice or one
 * that does not exist, and the whole summary is one statement of all its sources. Summaries by a language model (`isWritten`) have only
 * our own marks, which may name a source several times.
 *
 * @param sources Number of sources.
 */
export function statementsOf(content: string, sources: number, isWritten = false): readonly Statement[] {
  const statements: Statement[] = [];
  const numbers: number[] = [];
  let from = 0;
  for (const match of content.matchAll(marks)) {
    const named = [...match[1]!.matchAll(/\d+/gu)].map(([digits]) => Number(digits));
    const text = content.slice(from, match.index).trim();
    from = match.index + match[0].length;
    numbers.push(...named);
    statements.push({ text, sources: named.map((number) => number - 1) });
  }
  const isClear =
    content.slice(from).trim() === '' &&
    statements.every(({ text }) => text !== '') &&
    (isWritten || new Set(numbers).size === numbers.length) &&
    numbers.every((number) => number >= 1 && number <= sources);
  return isClear ? statements : [{ text: content, sources: Array.from({ length: sources }, (_, at) => at) }];
}
