import {
  areEqual,
  BrowserCannot,
  concatenated,
  fromBase64,
  sha256,
  toHex,
  utf8,
  type Bytes,
} from './bytes.ts';
import { hashBytes, type Head } from './merkle.ts';

/** The text has another form than expected. The message says which. */
export class Malformed extends Error {
  override readonly name = 'Malformed';
}

const ed25519 = 0x01;
const cosignatureV1 = 0x04;

/** A key that verifies notes (C2SP signed-note), of a log or of a witness. */
interface VerifierKey {
  readonly name: string;
  readonly algorithm: number;
  /** The first four bytes of the hash of the key. */
  readonly id: Bytes;
  readonly publicKey: Bytes;
}

/** Reads a verifier key such as `stratalog/log+ab12cd34+AfG…`. Throws `Malformed`. */
export async function parseVerifierKey(text: string): Promise<VerifierKey> {
  const [, name, id, encoded] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/u.exec(text.trim()) ?? [];
  const bytes = fromBase64(encoded ?? '');
  if (name === undefined || bytes?.length !== 33 || (bytes[0] !== ed25519 && bytes[0] !== cosignatureV1))
    throw new Malformed('A verifier key is name+hash+key, with an Ed25519 key.');
  const hash = (await sha256(concatenated(utf8(`${name}\n`), bytes))).slice(0, 4);
  if (toHex(hash) !== id)
    throw new Malformed('The hash in the verifier key is not that of its key: it was changed or cut off.');
  return { name, algorithm: bytes[0], id: hash, publicKey: bytes.slice(1) };
}

/** A text that ends with a line break, and its signatures. */
export interface Note {
  readonly text: string;
  readonly signatures: readonly { readonly name: string; readonly id: Bytes; readonly signature: Bytes }[];
}

/** Reads a note without verifying it. Throws `Malformed`. */
export function parseNote(note: string): Note {
  const end = note.lastIndexOf('\n\n');
  const lines = note.slice(end + 2);
  if (end < 0 || !note.endsWith('\n') || lines === '')
    throw new Malformed('A signed note is a text, an empty line and lines of signatures.');
  const signatures = lines
    .slice(0, -1)
    .split('\n')
    .map((line) => {
      const [, name, encoded] = /^— ([^\s+]+) (\S+)$/u.exec(line) ?? [];
      const bytes = fromBase64(encoded ?? '');
      if (name === undefined || bytes === undefined || bytes.length < 5)
        throw new Malformed('A line with a signature is malformed.');
      return { name, id: bytes.slice(0, 4), signature: bytes.slice(4) };
    });
  return { text: note.slice(0, end + 1), signatures };
}

/** Whether the note has a valid signature of this key. Throws `BrowserCannot` if the browser cannot tell. */
export async function isSignedBy({ text, signatures }: Note, key: VerifierKey): Promise<boolean> {
  const publicKey = await imported(key.publicKey);
  for (const { name, id, signature } of signatures) {
    if (name !== key.name || !areEqual(id, key.id)) continue;
    const [signed, bytes] = key.algorithm === ed25519 ? [text, signature] : cosigned(text, signature);
    if (bytes.length !== 64) continue;
    if (await crypto.subtle.verify('Ed25519', publicKey, bytes, utf8(signed))) return true;
  }
  return false;
}

/** What a witness signs: the text with a time, 64 bits before the signature (C2SP tlog-cosignature). */
function cosigned(text: string, signature: Bytes): readonly [string, Bytes] {
  if (signature.length !== 72) return [text, new Uint8Array()];
  const time = new DataView(signature.buffer, signature.byteOffset).getBigUint64(0);
  return [`cosignature/v1\ntime ${time}\n${text}`, signature.slice(8)];
}

async function imported(publicKey: Bytes) {
  try {
    return await crypto.subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify']);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NotSupportedError')
      throw new BrowserCannot(
        'This browser cannot verify Ed25519 signatures. Update it, or use examples/verify/verify.mjs.',
      );
    throw error;
  }
}

/** Head of a log as a signed note. */
export interface Checkpoint extends Head {
  /** Name of the log. */
  readonly origin: string;
  readonly note: Note;
}

/** Reads a checkpoint (C2SP tlog-checkpoint) without verifying it. Throws `Malformed`. */
export function parseCheckpoint(text: string): Checkpoint {
  const note = parseNote(text);
  const [origin = '', size = '', encoded = ''] = note.text.split('\n');
  const root = fromBase64(encoded);
  if (origin === '' || !/^(?:0|[1-9]\d{0,15})$/.test(size) || root?.length !== hashBytes)
    throw new Malformed('A signed head has three lines: the origin of its log, its size, and its root.');
  return { origin, size: Number(size), root, note };
}
