const newline = 0x0a;
const field = '"company"';

/** The server refuses longer lines, so a longer one is passed on instead of buffered. */
const longestLine = 8_000_000;

const none = Buffer.alloc(0);

/** What was removed from a file. */
export interface LeftOut {
  lines: number;
  readonly companies: Set<string>;
}

/**
 * Removes the company from the scopes of a file of memories and counts it in `leftOut`: the company is the tenant of the
 * credential, and the server refuses another one. All other lines are passed on byte for byte.
 */
export async function* withoutCompany(
  chunks: AsyncIterable<Buffer>,
  leftOut: LeftOut,
): AsyncGenerator<Buffer> {
  let rest: Buffer = none;
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(newline) + 1;
    if (end > 0) yield mapLines(bytes.subarray(0, end), leftOut);
    rest = bytes.subarray(end);
    if (rest.length <= longestLine) continue;
    yield rest;
    rest = none;
  }
  if (rest.length > 0) yield mapLines(rest, leftOut);
}

function mapLines(bytes: Buffer, leftOut: LeftOut): Buffer {
  if (!bytes.includes(field)) return bytes;
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length;) {
    const next = bytes.indexOf(newline, start) + 1;
    const end = next === 0 ? bytes.length : next;
    lines.push(mapLine(bytes.subarray(start, end), leftOut));
    start = end;
  }
  return Buffer.concat(lines);
}

function mapLine(line: Buffer, leftOut: LeftOut): Buffer {
  const memory = line.includes(field) ? parsed(line) : undefined;
  const { company, ...scope } = (memory?.['scope'] ?? {}) as Record<string, unknown>;
  // The server reports a company that is not a string.
  if (typeof company !== 'string') return line;
  leftOut.lines++;
  leftOut.companies.add(company);
  return Buffer.from(`${JSON.stringify({ ...memory, scope })}\n`);
}

/** Undefined if the line is not a JSON object: the server reports that. */
function parsed(line: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
