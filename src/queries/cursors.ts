import { createHash } from 'node:crypto';
import { canonicalJson } from '../domain/json.ts';
import { Problem } from '../domain/problems.ts';

/** What a cursor is bound to: everything that decides what the list holds. */
export function fingerprintOf(decisive: object): string {
  return createHash('sha256').update(canonicalJson(decisive)).digest('base64url').slice(0, 16);
}

/** The cursor of a list that goes on behind `lastId`: stable under inserts. */
export function writeCursor(lastId: string, fingerprint: string): string {
  return Buffer.from(`${fingerprint}.${lastId}`).toString('base64url');
}

/** The id that the list goes on behind. Throws `cursor-invalid` where the cursor is bound to something else. */
export function readCursor(cursor: string, fingerprint: string): string {
  const [bound, lastId = ''] = Buffer.from(cursor, 'base64url').toString('utf8').split('.');
  // Base64 is read past what is none of it, and past a lost end.
  if (bound !== fingerprint || writeCursor(lastId, fingerprint) !== cursor) throw strangeCursor();
  return lastId;
}

export function strangeCursor(): Problem {
  return new Problem('cursor-invalid', 'the cursor is not one of this list with these filters', {
    errors: [{ path: 'cursor', message: 'does not fit this list' }],
  });
}
