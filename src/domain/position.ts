import { Problem } from './problems.ts';

const form = /^([0-9a-f]{12})-([0-9a-z]{1,10})$/;

export const mustBePosition = 'must be a position that the server answered';
export const mustBePositionOrTime = `${mustBePosition}, or an RFC 3339 time with an offset such as 2026-01-31T12:00:00Z`;

/** How a place in the log goes out to callers: opaque, and worthless at another log. */
export function positionToken(logId: string, position: number): string {
  return `${shortOf(logId)}-${position.toString(36)}`;
}

/** Whether `text` may be one, of whichever log. */
export function isPositionToken(text: string): boolean {
  return form.test(text);
}

/**
 * Throws `position-unknown` for anything that this log did not give out. `field` is where the token stood, and `takes` says
 * what may stand there.
 */
export function parsePosition(logId: string, token: string, field: string, takes = mustBePosition): number {
  const [, log, position] = form.exec(token) ?? [];
  if (position === undefined) throw unknownPosition(field, takes);
  if (log !== shortOf(logId)) throw unknownPosition(field, 'is not a position of this log');
  return Number.parseInt(position, 36);
}

function unknownPosition(field: string, message: string): Problem {
  return new Problem('position-unknown', `${field} ${message}`, { errors: [{ path: field, message }] });
}

function shortOf(logId: string): string {
  return logId.replaceAll('-', '').slice(0, 12);
}
