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
