import { Problem } from './problems.ts';

/** How a place in the log goes out to callers: opaque, and worthless at another log. */
export function positionToken(logId: string, position: number): string {
  return `${shortOf(logId)}-${position.toString(36)}`;
}

/** Throws `position-unknown` for anything that this log did not give out. `field` is where the token stood. */
export function parsePosition(logId: string, token: string, field: string): number {
  const match = /^([0-9a-f]{12})-([0-9a-z]{1,10})$/.exec(token);
  if (!match || match[1] !== shortOf(logId)) {
    throw new Problem('position-unknown', `${field} is not a position of this log`, {
      errors: [{ path: field, message: 'is not a position of this log' }],
    });
  }
  return Number.parseInt(match[2]!, 36);
}

function shortOf(logId: string): string {
  return logId.replaceAll('-', '').slice(0, 12);
}
