import { hashBytes, type Hash } from './merkle.ts';
import { MalformedNote, parseNote, signNote, type Note, type Signer } from './note.ts';

/** Head of the tree of the log's first `size` events. */
export interface TreeHead {
  /** Name of the log. A log that was restored from a backup has a new one. */
  readonly origin: string;
  readonly size: number;
  readonly root: Hash;
}

/** The head as a signed note (C2SP tlog-checkpoint). */
export function signCheckpoint({ origin, size, root }: TreeHead, signers: readonly Signer[]): string {
  return signNote(`${origin}\n${size}\n${root.toString('base64')}\n`, signers);
}

/** Parses a checkpoint without verifying it. Throws `MalformedNote`. */
export function parseCheckpoint(note: string): TreeHead & { readonly note: Note } {
  const parsed = parseNote(note);
  const [origin = '', size = '', encoded = ''] = parsed.text.split('\n');
  const root = Buffer.from(encoded, 'base64');
  if (
    origin === '' ||
    !/^(?:0|[1-9]\d{0,15})$/.test(size) ||
    root.length !== hashBytes ||
    root.toString('base64') !== encoded
  )
    throw new MalformedNote(
      'a checkpoint has three lines: the origin of its log, the size, and the root hash',
    );
  return { origin, size: Number(size), root, note: parsed };
}
