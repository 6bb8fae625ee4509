import type { Block } from '../../domain/documents/content.ts';

/** Characters of blocks that an encoding could not represent. */
export function countReplacements(blocks: readonly Block[]): number {
  return blocks.reduce(
    (sum, block) =>
      sum +
      (block.kind === 'table'
        ? [block.caption ?? '', ...block.header, ...block.rows.flat()].reduce(
            (count, cell) => count + countIn(cell),
            0,
          )
        : countIn(block.text)),
    0,
  );
}

function countIn(text: string): number {
  return text.split('\uFFFD').length - 1;
}
