import { protocol } from '@electric-sql/pglite';
import type { WireValue } from '../sql/values.ts';

const { serialize } = protocol;

/** The extended protocol in one message: parse, bind, describe, execute, sync. */
export function statementMessage(text: string, params: readonly WireValue[]): Uint8Array {
  return Buffer.concat([
    serialize.parse({ text: checked(text) }),
    serialize.bind({ values: [...params] }),
    serialize.describe({ type: 'P' }),
    serialize.execute(),
    serialize.sync(),
  ]);
}

/** The simple protocol. Several statements in one text run as one transaction unless they say otherwise. */
export function scriptMessage(text: string): Uint8Array {
  return serialize.query(checked(text));
}

/** A NUL would end the text early and leave the rest to be read as protocol. */
export function checked(text: string): string {
  if (text.includes('\0')) throw new TypeError('a statement cannot hold a NUL character');
  return text;
}
