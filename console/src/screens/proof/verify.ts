import { areEqual, fromBase64, textOf, type Bytes } from './bytes.ts';
import { consistencyHashes, hashBytes, isConsistent, leafHash, rootFrom } from './merkle.ts';
import { isSignedBy, Malformed, parseCheckpoint, parseVerifierKey, type Checkpoint } from './note.ts';
import { nodesOf, type ReadTile } from './tiles.ts';
import { bad, count, good, jsonOf, verdictOf, type Check, type Leaf, type Verdict } from './verdict.ts';

/** The fields of an event in the audit that its leaf has, too. */
export type ShownEvent = Pick<Leaf, 'id' | 'stream' | 'revision' | 'type'> & { readonly at: string };

/** Verifies a proof (C2SP tlog-proof) without its server; with `event` also that it is about this event. */
export async function verifyProof(text: string, key: string, event?: ShownEvent): Promise<Verdict> {
  return verdictOf(async (checks) => {
    const { entry, index, hashes, note } = parseProof(text);
    const head = parseCheckpoint(note);
    checks.push(await signatureCheck(head, key));
    const root = await rootFrom(await leafHash(entry), index, head.size, hashes);
    checks.push({
      name: 'Path to the root',
      ...(root && areEqual(root, head.root)
        ? good(
            `Event ${count(index + 1)} of ${count(head.size)} leads to the signed root in ${hashes.length} steps.`,
          )
        : bad(
            'The hashes do not lead from this event to the signed root: it is not in the log of this head.',
          )),
    });
    const leaf = leafOf(entry);
    if (event) checks.push(sameEventCheck(leaf, event));
    return { head, leaf };
  });
}

/** Verifies the signature of a head (C2SP tlog-checkpoint). */
export async function verifyCheckpoint(text: string, key: string): Promise<Verdict> {
  return verdictOf(async (checks) => {
    const head = parseCheckpoint(text);
    checks.push(await signatureCheck(head, key));
    return { head };
  });
}

/** Verifies that the log of the later head begins with all events of the earlier one, with tiles that the server sends. */
export async function verifyGrowth(
  earlier: string,
  later: string,
  key: string,
  read: ReadTile,
): Promise<Verdict> {
  return verdictOf(async (checks) => {
    const parsed = [parseCheckpoint(earlier), parseCheckpoint(later)] as const;
    const [old, young] = parsed[0].size <= parsed[1].size ? parsed : [parsed[1], parsed[0]];
    checks.push(
      { ...(await signatureCheck(old, key)), name: 'Signature of the earlier head' },
      { ...(await signatureCheck(young, key)), name: 'Signature of the later head' },
    );
    if (old.origin !== young.origin)
      throw new Malformed(`The heads are of two logs, ${old.origin} and ${young.origin}.`);
    const hashes = await consistencyHashes(old.size, young.size, nodesOf(young.size, read));
    checks.push({
      name: 'Nothing changed between them',
      ...((await isConsistent(old, young, hashes))
        ? good(
            `The ${count(young.size)} events begin with the ${count(old.size)} of the earlier head; ${count(young.size - old.size)} were added.`,
          )
        : bad(
            'The later log does not begin with the earlier one: events were changed, removed or inserted.',
          )),
    });
    return { head: young };
  });
}

/** The first line of a proof. */
export const proofHeader = 'c2sp.org/tlog-proof@v1';

function parseProof(text: string): {
  readonly entry: Bytes;
  readonly index: number;
  readonly hashes: readonly Bytes[];
  readonly note: string;
} {
  const [, extra, index, path, note] =
    /^c2sp\.org\/tlog-proof@v1\nextra (\S+)\nindex (0|[1-9]\d{0,15})\n((?:\S+\n)*)\n([^]+)$/.exec(text) ?? [];
  const entry = fromBase64(extra ?? '');
  const hashes = (path ?? '').split('\n').slice(0, -1).map(fromBase64);
  const areHashes = (given: readonly (Bytes | undefined)[]): given is readonly Bytes[] =>
    given.every((hash) => hash?.length === hashBytes);
  if (note === undefined || entry === undefined || !areHashes(hashes))
    throw new Malformed(`A proof begins with ${proofHeader}, its event, an index and hashes.`);
  return { entry, index: Number(index), hashes, note };
}

function leafOf(entry: Bytes): Leaf {
  const leaf = jsonOf(textOf(entry));
  if (typeof leaf['id'] !== 'string' || typeof leaf['hash'] !== 'string')
    throw new Malformed('The entry of the proof is not an event of Stratalog.');
  return leaf as unknown as Leaf;
}

function sameEventCheck(leaf: Leaf, event: ShownEvent): Check {
  const pairs = [
    ['id', leaf.id, event.id],
    ['stream', leaf.stream, event.stream],
    ['revision', leaf.revision, event.revision],
    ['type', leaf.type, event.type],
    ['time', Date.parse(leaf.time), Date.parse(event.at)],
  ] as const;
  const different = pairs.filter(([, one, other]) => one !== other).map(([name]) => name);
  return {
    name: 'The event that the audit shows',
    ...(different.length === 0
      ? good('Its id, stream, revision, type and time are those in the signed log.')
      : bad(`The server shows another ${different.join(', ')} than the signed log has.`)),
  };
}

async function signatureCheck({ note, origin, size }: Checkpoint, key: string): Promise<Check> {
  const verifier = await parseVerifierKey(key);
  const isSigned = await isSignedBy(note, verifier);
  return {
    name: 'Signature of the head',
    ...(isSigned
      ? good(`The head of ${count(size)} events of ${origin} is signed with the verifier key.`)
      : bad(`The head is not signed with the key of ${verifier.name}.`)),
  };
}
