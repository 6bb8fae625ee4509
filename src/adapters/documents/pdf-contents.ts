import type { Line } from './pdf-lines.ts';

/** An entry of a table of contents: dots up to the number of a page. */
const entry = /(?:\.\s?){4,}\s*([ivxl]+|\d{1,4})$|…{2,}\s*(\d{1,4})$/i;
const contents =
  /^(?:table of contents|contents|inhalt|inhaltsverzeichnis|sommaire|table des matières|índice|indice|contenido|sumário|inhoud|spis treści|目次|目录)$/i;

/** Lines without the entries of a table of contents. Lists of prices with dots have no rising numbers and stay. */
export function withoutContents(lines: readonly Line[], pageCount: number): readonly Line[] {
  const isEntry = lines.map(({ text }) => entry.test(text));
  const numbers = lines.flatMap(({ text }) => {
    const number = Number(entry.exec(text)?.[1] ?? entry.exec(text)?.[2]);
    return Number.isInteger(number) ? [number] : [];
  });
  const count = isEntry.filter(Boolean).length;
  const rising = numbers.filter((number, index) => index === 0 || number >= numbers[index - 1]!).length;
  const isContents =
    count >= 3 && rising >= 0.9 * numbers.length && numbers.every((number) => number <= pageCount * 3 + 50);
  if (!isContents) return lines;
  // The first line of a wrapped entry has no dots.
  return lines.filter((_, index) => !isEntry[index] && !(isEntry[index - 1] && isEntry[index + 1]));
}

export function isContentsTitle(text: string): boolean {
  return contents.test(text.trim());
}
