const whiteSpace = new Set([0x20, 0x09, 0x0d]);
const brace = 0x7b;
const quote = 0x22;
const upsert = Buffer.from('"upsert":true,');

/**
 * Adds `upsert: true` to a line that is a JSON object. It comes first, so a field `upsert` of the line itself prevails. The rest of
 * the line stays as it is, byte for byte. Other lines are left to the server, which reports them.
 */
export function asUpsert(line: Buffer): Buffer {
  const opening = afterWhiteSpace(line, 0);
  if (line[opening] !== brace || line[afterWhiteSpace(line, opening + 1)] !== quote) return line;
  return Buffer.concat([line.subarray(0, opening + 1), upsert, line.subarray(opening + 1)]);
}

function afterWhiteSpace(line: Buffer, from: number): number {
  let at = from;
  while (whiteSpace.has(line[at] ?? 0)) at++;
  return at;
}
