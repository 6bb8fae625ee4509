import type { TokenCounter } from '../ports/tokenizer.ts';

/** What surrounds the text of an answer. */
const frame = JSON.stringify({ content: [{ type: 'text', text: '' }] });

/**
 * The first of `lines`, as many as fit into `budget` tokens together with the answer around them, as it is sent: a line break and a
 * quotation mark are longer in JSON.
 */
export function fitTokens(lines: readonly string[], budget: number, count: TokenCounter): string {
  let left = budget - count(frame);
  const fitting: string[] = [];
  for (const line of lines) {
    left -= count(JSON.stringify(`${line}\n`).slice(1, -1));
    if (left < 0) break;
    fitting.push(line);
  }
  return fitting.join('\n').trimEnd();
}
