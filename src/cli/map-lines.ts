const newline = 0x0a;

/** The server refuses longer lines, so a longer one is passed on instead of buffered. */
const longestLine = 8_000_000;

const none = Buffer.alloc(0);

/** Applies `map` to each line, with its line break if it has one. */
export async function* mapLines(
  chunks: AsyncIterable<Buffer>,
  map: (line: Buffer) => Buffer,
): AsyncGenerator<Buffer> {
  let rest: Buffer = none;
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(newline) + 1;
    if (end > 0) yield mapped(bytes.subarray(0, end), map);
    rest = bytes.subarray(end);
    if (rest.length <= longestLine) continue;
    yield rest;
    rest = none;
  }
  if (rest.length > 0) yield mapped(rest, map);
}

function mapped(bytes: Buffer, map: (line: Buffer) => Buffer): Buffer {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length;) {
    const next = bytes.indexOf(newline, start) + 1;
    const end = next === 0 ? bytes.length : next;
    lines.push(map(bytes.subarray(start, end)));
    start = end;
  }
  return Buffer.concat(lines);
}
