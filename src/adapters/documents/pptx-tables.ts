import type { Block } from '../../domain/documents/content.ts';
import { childAt, childrenOf, descendantsOf, textOf, type XmlElement } from './xml.ts';

type Table = Extract<Block, { kind: 'table' }>;

/** A table of a slide. Cells that span others are repeated in each of them, so that every row says what it is about. */
export function tableOfFrame(
  table: XmlElement | undefined,
  textOfCell: (cell: XmlElement) => string,
): Table | undefined {
  const rows: string[][] = [];
  for (const [y, row] of childrenOf(table, 'tr').entries()) {
    const cells: string[] = [];
    for (const [x, cell] of childrenOf(row, 'tc').entries()) {
      const isOf = (name: string) => ['1', 'true'].includes(cell.attributes[name] ?? '');
      if (isOf('hMerge')) cells.push(cells[x - 1] ?? '');
      else if (isOf('vMerge')) cells.push(rows[y - 1]?.[x] ?? '');
      else cells.push(textOfCell(cell));
    }
    rows.push(cells);
  }
  const filled = rows.filter((row) => row.some((cell) => cell !== ''));
  const [header, ...others] = filled;
  if (!header) return undefined;
  const [caption] = header;
  const isCaption = header.length > 1 && caption !== undefined && header.every((cell) => cell === caption);
  const [second, ...rest] = others;
  return isCaption && second
    ? { kind: 'table', caption, header: second, rows: rest }
    : { kind: 'table', header, rows: others };
}

/** The numbers of a chart: a row for each category, a column for each series. */
export function chartOfPart(part: XmlElement | undefined): Table | undefined {
  const series = descendantsOf(part, 'ser').map((element) => ({
    name: pointsOf(childAt(element, 'tx'))[0] ?? '',
    categories: pointsOf(childAt(element, 'cat') ?? childAt(element, 'xVal')),
    values: pointsOf(childAt(element, 'val') ?? childAt(element, 'yVal')),
  }));
  const [first] = series;
  const length = Math.max(0, ...series.map(({ values }) => values.length));
  if (!first || length === 0) return undefined;
  const caption = descendantsOf(childAt(part, 'chart', 'title'), 't')
    .map(textOf)
    .join('')
    .trim();
  return {
    kind: 'table',
    ...(caption !== '' && { caption }),
    header: ['', ...series.map(({ name }) => name)],
    rows: Array.from({ length }, (_, index) => [
      first.categories[index] ?? '',
      ...series.map(({ values }) => values[index] ?? ''),
    ]),
  };
}

/** The cached texts or numbers of a reference to a sheet, by their index. */
function pointsOf(reference: XmlElement | undefined): string[] {
  const points: string[] = [];
  for (const point of descendantsOf(reference, 'pt').slice(0, 10_000)) {
    const index = Number(point.attributes['idx'] ?? points.length);
    if (Number.isInteger(index) && index >= 0 && index < 10_000)
      points[index] = textOf(childAt(point, 'v')).trim();
  }
  return Array.from(points, (point) => point ?? '');
}
