/**
 * Milliseconds that a `Retry-After` header asks to wait (RFC 9110, 10.2.3), from seconds or a date; undefined if there is none or it
 * cannot be read.
 */
export function retryAfterMs(header: string | null | undefined): number | undefined {
  if (header === null || header === undefined) return undefined;
  const ms = /^\s*\d+(\.\d+)?\s*$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
