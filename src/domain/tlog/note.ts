import {
  createHash,
  createPrivateKey,
  createPublicKey,
  sign as ed25519Sign,
  verify as ed25519Verify,
  type KeyObject,
} from 'node:crypto';

/** Algorithms of the keys of notes: Ed25519 signatures of a log, and cosignatures with a time of a witness. */
export const ed25519 = 0x01;
export const cosignatureV1 = 0x04;
type Algorithm = typeof ed25519 | typeof cosignatureV1;

const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex');
const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A key that verifies notes (C2SP signed-note). */
export interface Verifier {
  readonly name: string;
  readonly algorithm: Algorithm;
  /** The 32 bytes of the Ed25519 key. */
  readonly publicKey: Buffer;
  /** The first four bytes of the key's hash. */
  readonly keyId: Buffer;
}

export interface Signer extends Verifier {
  readonly privateKey: KeyObject;
}

/** A note: a text that ends with a line break, and lines of signatures. */
export interface Note {
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

export interface NoteSignature {
  readonly name: string;
  readonly keyId: Buffer;
  readonly signature: Buffer;
}

/** The text is not a signed note, or a key is not a verifier key. */
export class MalformedNote extends Error {
  override readonly name = 'MalformedNote';
}

/** A signer from the 32 bytes of an Ed25519 private key. */
export function signerOf(name: string, seed: Uint8Array): Signer {
  const privateKey = createPrivateKey({
    key: Buffer.concat([privatePrefix, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32);
  return { ...verifierOf(name, ed25519, publicKey), privateKey };
}

function verifierOf(name: string, algorithm: Algorithm, publicKey: Buffer): Verifier {
  if (name === '' || /[\s+]/u.test(name)) throw new MalformedNote(`${name} cannot name a key`);
  const keyId = createHash('sha256')
    .update(`${name}\n`)
    .update(Uint8Array.of(algorithm))
    .update(publicKey)
    .digest()
    .subarray(0, 4);
  return { name, algorithm, publicKey, keyId };
}

/** The verifier key as text: `name+hash+key`. */
export function verifierKey({ name, algorithm, publicKey, keyId }: Verifier): string {
  const key = Buffer.concat([Uint8Array.of(algorithm), publicKey]).toString('base64');
  return `${name}+${keyId.toString('hex')}+${key}`;
}

/** Parses a verifier key. Throws `MalformedNote`. */
export function parseVerifierKey(text: string): Verifier {
  const [, name, hash, key] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/u.exec(text.trim()) ?? [];
  const bytes = Buffer.from(key ?? '', 'base64');
  const [algorithm] = bytes;
  if (name === undefined || bytes.length !== 33 || (algorithm !== ed25519 && algorithm !== cosignatureV1))
    throw new MalformedNote('a verifier key is name+hash+key, with an Ed25519 key');
  const verifier = verifierOf(name, algorithm, bytes.subarray(1));
  if (verifier.keyId.toString('hex') !== hash)
    throw new MalformedNote('the hash of the verifier key is not that of its key');
  return verifier;
}

/** The note with the signatures of `signers`. The text ends with a line break. */
export function signNote(text: string, signers: readonly Signer[]): string {
  return `${text}\n${signers.map((signer) => signatureLine(signer, ed25519Sign(null, Buffer.from(text), signer.privateKey))).join('')}`;
}

function signatureLine({ name, keyId }: Pick<Verifier, 'name' | 'keyId'>, signature: Buffer): string {
  return `— ${name} ${Buffer.concat([keyId, signature]).toString('base64')}\n`;
}

/** Parses a note without verifying it. Throws `MalformedNote`. */
export function parseNote(note: string): Note {
  const end = note.lastIndexOf('\n\n');
  const lines = note.slice(end + 2);
  if (end < 0 || !note.endsWith('\n') || lines === '')
    throw new MalformedNote('a note is a text, an empty line and signatures');
  const signatures = lines
    .slice(0, -1)
    .split('\n')
    .map((line) => {
      const [, name, encoded] = /^— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/u.exec(line) ?? [];
      const bytes = Buffer.from(encoded ?? '', 'base64');
      if (name === undefined || bytes.length < 5)
        throw new MalformedNote('a line of a signature is malformed');
      return { name, keyId: bytes.subarray(0, 4), signature: bytes.subarray(4) };
    });
  return { text: note.slice(0, end + 1), signatures };
}

/** The notes in a text to which one after another was appended, in its order. */
export function notesIn(text: string): readonly string[] {
  return text.split(/(?<=\n— [^\n]+\n)\n+(?!—)/u).filter((note) => note.trim() !== '');
}

/** The lines of the valid signatures of this key. */
export function linesOf({ text, signatures }: Note, verifier: Verifier): readonly string[] {
  return signatures
    .filter((signature) => isSignedBy({ text, signatures: [signature] }, verifier))
    .map(({ name, keyId, signature }) => signatureLine({ name, keyId }, signature));
}

/** Whether the note has a valid signature of this key. A line with its name and key id that does not verify counts as none. */
export function isSignedBy({ text, signatures }: Note, verifier: Verifier): boolean {
  const own = signatures.filter(({ name, keyId }) => name === verifier.name && keyId.equals(verifier.keyId));
  const key = createPublicKey({
    key: Buffer.concat([publicPrefix, verifier.publicKey]),
    format: 'der',
    type: 'spki',
  });
  return own.some(({ signature }) => {
    if (verifier.algorithm === ed25519) return ed25519Verify(null, Buffer.from(text), key, signature);
    // A time in seconds, 64 bits, before the signature (C2SP tlog-cosignature).
    if (signature.length !== 72) return false;
    const signed = `cosignature/v1\ntime ${signature.readBigUInt64BE(0)}\n${text}`;
    return ed25519Verify(null, Buffer.from(signed), key, signature.subarray(8));
  });
}
