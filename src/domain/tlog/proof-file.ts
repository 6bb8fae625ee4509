import { parseCheckpoint, type TreeHead } from './checkpoint.ts';
import { hashBytes, leafHash, verifyInclusion, type Hash } from './merkle.ts';
import { isSignedBy, MalformedNote, type Verifier } from './note.ts';

/** A proof that a log has an entry, which is verified without the log (C2SP tlog-proof). */
export interface ProofFile {
  readonly index: number;
  /** From the leaf's sibling to the root's child. */
  readonly proof: readonly Hash[];
  /** The signed note of the tree's head. */
  readonly checkpoint: string;
  /** The entry itself: the leaf of the tree is its hash. Not authenticated by itself. */
  readonly extra?: Buffer;
}

const header = 'c2sp.org/tlog-proof@v1';

export function formatProof({ index, proof, checkpoint, extra }: ProofFile): string {
  return [
    header,
    ...(extra ? [`extra ${extra.toString('base64')}`] : []),
    `index ${index}`,
    ...proof.map((hash) => hash.toString('base64')),
    '',
    checkpoint,
  ].join('\n');
}

/** Throws `MalformedNote`. */
export function parseProof(text: string): ProofFile {
  const end = text.indexOf('\n\n');
  const [first, ...rest] = text.slice(0, end).split('\n');
  const extra = rest[0]?.startsWith('extra ')
    ? Buffer.from(rest.shift()!.slice('extra '.length), 'base64')
    : undefined;
  const [, index] = /^index (0|[1-9]\d{0,15})$/.exec(rest.shift() ?? '') ?? [];
  const proof = rest.map((line) => Buffer.from(line, 'base64'));
  if (end < 0 || first !== header || index === undefined || proof.some(({ length }) => length !== hashBytes))
    throw new MalformedNote(`a proof begins with ${header}, an index and hashes`);
  return { index: Number(index), proof, checkpoint: text.slice(end + 2), ...(extra && { extra }) };
}

export interface VerifiedProof {
  readonly head: TreeHead;
  readonly isSigned: boolean;
  /** The entry, if it is included in the tree of the head. */
  readonly entry: Buffer | undefined;
}

/** Verifies a proof that has its entry in `extra`. Throws `MalformedNote`. */
export function verifyProof(text: string, verifier: Verifier): VerifiedProof {
  const { index, proof, checkpoint, extra } = parseProof(text);
  const head = parseCheckpoint(checkpoint);
  const { size, root } = head;
  const isIncluded = extra !== undefined && verifyInclusion(leafHash(extra), { index, size, root, proof });
  return { head, isSigned: isSignedBy(head.note, verifier), entry: isIncluded ? extra : undefined };
}
