import type { BulkLine } from '../api/memories/bulk-store.ts';
import { parseBoundedJson } from '../domain/input/bounded-json.ts';
import { Problem } from '../domain/problems.ts';
import { defaultMaxBodyBytes } from './request.ts';
import { untilStalled } from './stalls.ts';

export const ndjson = 'application/x-ndjson';
export const ndjsonTypes = [ndjson, 'application/ndjson', 'application/jsonl'];

const newline = 0x0a;

/**
 * Parses the lines of a body as they arrive. Numbers all lines from 1 and skips blank ones. Yields a problem for a line that
 * is too long, not UTF-8 or not JSON; a line that is too long is not kept in memory beyond the limit.
 */
export async function* readLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<BulkLine> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 0;
  let parts: Uint8Array[] = [];
  let bytes = 0;
  const take = (piece: Uint8Array) => {
    bytes += piece.length;
    if (bytes <= defaultMaxBodyBytes) parts.push(piece);
    else parts = [];
  };
  const finish = (): BulkLine | undefined => {
    line++;
    const result = lineOf(line, parts, bytes, decoder);
    parts = [];
    bytes = 0;
    return result;
  };
  for await (const chunk of untilStalled(body)) {
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
  if (bytes > defaultMaxBodyBytes) {
    return {
      line,
      sent: new Problem('body-too-large', `the line has more than ${defaultMaxBodyBytes} bytes`),
    };
  }
  let text: string;
  try {
    text = decoder.decode(Buffer.concat(parts)).trim();
  } catch {
    return { line, sent: new Problem('malformed-json', 'the line is not valid UTF-8') };
  }
  if (text === '') return undefined;
  try {
    return { line, sent: parseBoundedJson(text, 'this line') };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { line, sent: error };
  }
}
