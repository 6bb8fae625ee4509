import { Problem } from './problems.ts';

/**
 * `<log>-<number in base 36>`, which may be followed by `~` and a seal, for those who may read the whole log;
 * `<log>-<32 hexadecimal digits>`, in which the number is encrypted, for all others.
 */
const pattern = /^([0-9a-f]{12})-(?:([0-9a-z]{1,10})(?:~([0-9a-f]{10}))?|([0-9a-f]{32}))$/;

export const mustBePosition = 'must be a position returned by this server';
export const mustBePositionOrTime = `${mustBePosition}, or an RFC 3339 time with an offset such as 2026-01-31T12:00:00Z`;

/** What a position token says. */
export type ReadToken = { readonly log: string } & (
  { readonly position: number; readonly seal: string | undefined } | { readonly encrypted: string }
);

/** The position token with the number in clear, valid only for this log. */
export function positionToken(logId: string, position: number, seal?: string): string {
  return `${shortLogId(logId)}-${position.toString(36)}${seal === undefined ? '' : `~${seal}`}`;
}

/** The position token with the number encrypted. */
export function encryptedToken(logId: string, encrypted: string): string {
  return `${shortLogId(logId)}-${encrypted}`;
}

/** Whether `text` has the form of a position token, of any log. */
export function isPositionToken(text: string): boolean {
  return pattern.test(text);
}

/**
 * Reads a position token. Throws `position-unknown` if it is malformed or belongs to another log. `field` names the request
 * field in the error, and `expectation` is the message for a malformed token.
 */
export function readPositionToken(
  logId: string,
  token: string,
  field: string,
  expectation = mustBePosition,
): ReadToken {
  const [, log, position, seal, encrypted] = pattern.exec(token) ?? [];
  if (log === undefined) throw unknownPosition(field, expectation);
  if (log !== shortLogId(logId)) throw unknownPosition(field, 'is not a position of this log');
  return position === undefined
    ? { log, encrypted: encrypted! }
    : { log, position: Number.parseInt(position, 36), seal };
}

export function unknownPosition(field: string, message: string): Problem {
  return new Problem('position-unknown', `${field} ${message}`, { errors: [{ path: field, message }] });
}

function shortLogId(logId: string): string {
  return logId.replaceAll('-', '').slice(0, 12);
}
