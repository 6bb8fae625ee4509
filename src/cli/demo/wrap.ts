import { printableLines } from '../output.ts';

/** Breaks stored text at spaces, so that no line is longer than `width`; its own line ends stay. A longer word has a line of its own. */
export function wrapped(text: string, width: number): string[] {
  return printableLines(text)
    .split('\n')
    .flatMap((line) => wrappedLine(line.trimEnd(), width));
}

function wrappedLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(/ +/)) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (longer.length > width && current !== '') {
      lines.push(current);
      current = word;
    } else current = longer;
  }
  return [...lines, current];
}
