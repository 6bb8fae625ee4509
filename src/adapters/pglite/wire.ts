import { protocol } from '@electric-sql/pglite';

/** The simple protocol. Several statements in one text run as one transaction unless they say otherwise. */
export function scriptMessage(text: string): Uint8Array {
  return protocol.serialize.query(checked(text));
}

/** A NUL would end the text early and leave the rest to be read as protocol. */
export function checked(text: string): string {
  if (text.includes('\0')) throw new TypeError('a statement cannot hold a NUL character');
  return text;
}
