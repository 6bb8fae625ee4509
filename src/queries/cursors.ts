import { createHash } from 'node:crypto';
import { canonicalJson } from '../domain/json.ts';
import { Problem } from '../domain/problems.ts';

/** Hash of everything that determines the entries of a list. A cursor is only valid for the list with the same fingerprint. */
export function fingerprintOf(decisive: object): string {
  return createHash('sha256').update(canonicalJson(decisive)).digest('base64url').slice(0, 16);
}

/** The cursor of the page after `lastId`. It stays valid when entries are inserted. */
export function writeCursor(lastId: string, fingerprint: string): string {
  return Buffer.from(`${fingerprint}.${lastId}`).toString('base64url');
}

/** The id after which the list continues. Throws `cursor-invalid` if the cursor belongs to another list. */
export function readCursor(cursor: string, fingerprint: string): string {
  const [bound, lastId = ''] = Buffer.from(cursor, 'base64url').toString('utf8').split('.');
  // Compare with the rewritten cursor, because decoding base64 ignores foreign characters and a truncated end.
  if (bound !== fingerprint || writeCursor(lastId, fingerprint) !== cursor) throw invalidCursor();
  return lastId;
}

export function invalidCursor(): Problem {
  return new Problem('cursor-invalid', 'the cursor is not one of this list with these filters', {
    errors: [{ path: 'cursor', message: 'does not fit this list' }],
  });
}
