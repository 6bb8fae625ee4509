import type { Block } from '../../domain/documents/content.ts';

/** Blocks as one text of Markdown, for what is kept in one piece, such as an entry of a feed. Headings become bold lines. */
export function markdownOf(blocks: readonly Block[]): string {
  return blocks
    .map(markdownOfBlock)
    .filter((text) => text !== '')
    .join('\n\n');
}

function markdownOfBlock(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `**${block.text}**`;
    case 'code':
      return `${fenceFor(block.text)}${block.language ?? ''}\n${block.text}\n${fenceFor(block.text)}`;
    case 'table': {
      const width = Math.max(block.header.length, ...block.rows.map((row) => row.length));
      const line = (cells: readonly string[]): string =>
        `| ${Array.from({ length: width }, (_, column) => (cells[column] ?? '').replaceAll('|', '\\|')).join(' | ')} |`;
      const rule = `|${' --- |'.repeat(width)}`;
      const lines = [line(block.header), rule, ...block.rows.map(line)];
      return [...(block.caption === undefined ? [] : [block.caption, '']), ...lines].join('\n');
    }
    case 'text':
    case 'turn':
    case 'entry':
      return block.text;
  }
}

/** Longer than any run of backticks in the code. */
function fenceFor(code: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length));
  return '`'.repeat(longest + 1);
}
