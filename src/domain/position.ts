import { Problem } from './problems.ts';

const pattern = /^([0-9a-f]{12})-([0-9a-z]{1,10})$/;

export const mustBePosition = 'must be a position returned by this server';
export const mustBePositionOrTime = `${mustBePosition}, or an RFC 3339 time with an offset such as 2026-01-31T12:00:00Z`;

/** The position token for callers: opaque, and valid only for this log. */
export function positionToken(logId: string, position: number): string {
  return `${shortLogId(logId)}-${position.toString(36)}`;
}

/** Whether `text` has the form of a position token, of any log. */
export function isPositionToken(text: string): boolean {
  return pattern.test(text);
}

/**
 * Parses a position token. Throws `position-unknown` if it is malformed or belongs to another log. `field` names the request
 * field in the error, and `expectation` is the message for a malformed token.
 */
export function parsePosition(
  logId: string,
  token: string,
  field: string,
  expectation = mustBePosition,
): number {
  const [, log, position] = pattern.exec(token) ?? [];
  if (position === undefined) throw unknownPosition(field, expectation);
  if (log !== shortLogId(logId)) throw unknownPosition(field, 'is not a position of this log');
  return Number.parseInt(position, 36);
}

function unknownPosition(field: string, message: string): Problem {
  return new Problem('position-unknown', `${field} ${message}`, { errors: [{ path: field, message }] });
}

function shortLogId(logId: string): string {
  return logId.replaceAll('-', '').slice(0, 12);
}
