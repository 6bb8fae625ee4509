import type { BulkLine } from '../commands/bulk-store.ts';
import { Problem } from '../domain/problems.ts';
import { maxBodyBytes } from './request.ts';

const newline = 0x0a;

/**
 * The lines of a body as they arrive: numbered from 1 over all lines, blank ones skipped. A line that is too long or
 * not UTF-8 comes as its problem; of a line that is too long no more than the limit is ever held.
 */
export async function* readLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<BulkLine> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 0;
  let parts: Uint8Array[] = [];
  let bytes = 0;
  const take = (piece: Uint8Array) => {
    bytes += piece.length;
    if (bytes <= maxBodyBytes) parts.push(piece);
    else parts = [];
  };
  const finish = (): BulkLine | undefined => {
    line++;
    const result = lineOf(line, parts, bytes, decoder);
    parts = [];
    bytes = 0;
    return result;
  };
  for await (const chunk of body) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      take(chunk.subarray(start, end));
      start = end + 1;
      const result = finish();
      if (result) yield result;
    }
    if (start < chunk.length) take(chunk.subarray(start));
  }
  if (bytes > 0) {
    const result = finish();
    if (result) yield result;
  }
}

function lineOf(
  line: number,
  parts: readonly Uint8Array[],
  bytes: number,
  decoder: InstanceType<typeof TextDecoder>,
): BulkLine | undefined {
  if (bytes > maxBodyBytes) {
    return { line, text: new Problem('body-too-large', `the line has more than ${maxBodyBytes} bytes`) };
  }
  try {
    const text = decoder.decode(Buffer.concat(parts)).trim();
    return text === '' ? undefined : { line, text };
  } catch {
    return { line, text: new Problem('malformed-json', 'the line is not valid UTF-8') };
  }
}
