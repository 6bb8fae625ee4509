const whiteSpace = new Set([0x20, 0x09, 0x0d]);
const brace = 0x7b;
const quote = 0x22;
const upsert = Buffer.from('"upsert":true,');

const imported = Buffer.from('"trust":{"source":"import"},');

/** Says that the memory of a line came by an import, the least trusted way; what the line itself says about its trust is left out. */
export function asImported(line: Buffer): Buffer {
  if (!line.includes('"trust"')) return withFirst(imported, line);
  const memory = parsed(line);
  if (!memory) return line;
  return Buffer.from(`${JSON.stringify({ ...memory, trust: { source: 'import' } })}\n`);
}

/**
 * Adds `upsert: true` to a line that is a JSON object. It comes first, so a field `upsert` of the line itself prevails. The rest of
 * the line stays as it is, byte for byte. Other lines are left to the server, which reports them.
 */
export function asUpsert(line: Buffer): Buffer {
  return withFirst(upsert, line);
}

/** Adds a field before the others of an object that has some. */
function withFirst(field: Buffer, line: Buffer): Buffer {
  const opening = afterWhiteSpace(line, 0);
  if (line[opening] !== brace || line[afterWhiteSpace(line, opening + 1)] !== quote) return line;
  return Buffer.concat([line.subarray(0, opening + 1), field, line.subarray(opening + 1)]);
}

function afterWhiteSpace(line: Buffer, from: number): number {
  let at = from;
  while (whiteSpace.has(line[at] ?? 0)) at++;
  return at;
}

const field = '"company"';

/** What was removed from a file. */
export interface LeftOut {
  lines: number;
  readonly companies: Set<string>;
}

/**
 * Removes the company from the scope of a line of memories and counts it in `leftOut`: the company is the tenant of the
 * credential, and the server refuses another one. All other lines stay as they are, byte for byte.
 */
export function withoutCompany(leftOut: LeftOut): (line: Buffer) => Buffer {
  return (line) => {
    const memory = line.includes(field) ? parsed(line) : undefined;
    const { company, ...scope } = (memory?.['scope'] ?? {}) as Record<string, unknown>;
    // The server reports a company that is not a string.
    if (typeof company !== 'string') return line;
    leftOut.lines++;
    leftOut.companies.add(company);
    return Buffer.from(`${JSON.stringify({ ...memory, scope })}\n`);
  };
}

/** The line as a JSON object. Undefined if it is not one: the server reports that. */
function parsed(line: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

const newline = 0x0a;

/** The server refuses longer lines, so a longer one is passed on instead of buffered. */
const maxLineLength = 8_000_000;

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
    if (rest.length <= maxLineLength) continue;
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
