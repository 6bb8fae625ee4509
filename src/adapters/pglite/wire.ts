import { protocol } from '@electric-sql/pglite';
import type { WireValue } from '../sql/values.ts';

const { serialize } = protocol;

/** The extended protocol in one message: a statement without a name, parsed and executed once. */
export function statementMessage(text: string, params: readonly WireValue[]): Uint8Array {
  return Buffer.concat([parseMessage(text), executeMessage(params)]);
}

/** Keeps the statement under `name`; without one until the next. */
export function parseMessage(text: string, name = ''): Uint8Array {
  return serialize.parse({ name, text: checked(text) });
}

/** Executes a statement that was parsed, with a sync at its end. */
export function executeMessage(params: readonly WireValue[], statement = ''): Uint8Array {
  return Buffer.concat([
    serialize.bind({ statement, values: [...params] }),
    serialize.describe({ type: 'P' }),
    serialize.execute(),
    serialize.sync(),
  ]);
}

/** Has the statement of that name forgotten. */
export function closeMessage(name: string): Uint8Array {
  return serialize.close({ type: 'S', name });
}

/** The simple protocol. Several statements in one text run as one transaction unless they say otherwise. */
export function scriptMessage(text: string): Uint8Array {
  return serialize.query(checked(text));
}

/** A NUL would end the text early and leave the rest to be read as protocol. */
function checked(text: string): string {
  if (text.includes('\0')) throw new TypeError('a statement cannot hold a NUL character');
  return text;
}
