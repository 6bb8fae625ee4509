// Verifies that an event is in the log, without Stratalog and without a server:
//   node verify.mjs event.tlog-proof VERIFIER_KEY
//   node verify.mjs receipt.json VERIFIER_KEY      the receipt of an erasure, as `erasures get --json` prints it
// The proof is a C2SP tlog-proof, its head a tlog-checkpoint, and the tree that of RFC 6962.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFile } from 'node:fs/promises';

const sha256 = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest();
const base64 = (text) => Buffer.from(text, 'base64');

try {
  const [file, key] = process.argv.slice(2);
  if (key === undefined) throw new Error('usage: node verify.mjs PROOF VERIFIER_KEY');
  const text = await readFile(file, 'utf8');
  const shown = text.startsWith('{') ? JSON.parse(text) : undefined;
  // The receipt is a signed note, too: its text is one line of JSON.
  const receipt = shown && JSON.parse(openNote(shown.signature ?? '', key));
  const { leaf, index, hashes, note } = parseProof(shown ? (shown.proof ?? '') : text);
  const head = openHead(note, key);
  if (!rootFrom(leaf, index, head.size, hashes)?.equals(head.root))
    throw new Error('this leaf is not in the log that the head was signed for');
  if (receipt && JSON.parse(leaf).id !== receipt.event.id)
    throw new Error('the proof is about another event than the erasure');
  if (receipt) console.log(JSON.stringify(receipt, null, 2));
  console.log(`${leaf}\nproved: leaf ${index} of ${head.size} in ${head.origin}`);
} catch (error) {
  console.error(`NOT PROVED: ${error.message}`);
  process.exitCode = 1;
}

function parseProof(text) {
  const [, leaf, index, path, note] =
    /^c2sp\.org\/tlog-proof@v1\nextra (\S+)\nindex (0|[1-9]\d*)\n((?:\S+\n)*)\n([^]+)$/.exec(text) ?? [];
  if (note === undefined) throw new Error('the file is not a tlog-proof with its leaf');
  const hashes = path.split('\n').slice(0, -1).map(base64);
  return { leaf: base64(leaf), index: Number(index), hashes, note };
}

/** The text of a signed note. A signature begins with four bytes that say which key made it. */
function openNote(note, key) {
  const [, name, keyId, encoded] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(key) ?? [];
  const bytes = base64(encoded ?? '');
  if (bytes.length !== 33 || bytes[0] !== 1) throw new Error('the verifier key is malformed');
  if (sha256(Buffer.from(`${name}\n`), bytes).toString('hex', 0, 4) !== keyId)
    throw new Error('the verifier key does not have the hash that it names');
  const spki = Buffer.concat([base64('MCowBQYDK2VwAyEA'), bytes.subarray(1)]);
  const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  const end = note.lastIndexOf('\n\n') + 1;
  const [text, lines] = [note.slice(0, end), note.slice(end + 1).split('\n')];
  const isSigned = lines
    .filter((line) => line.startsWith(`— ${name} `))
    .map((line) => base64(line.split(' ')[2]))
    .some(
      (line) =>
        line.toString('hex', 0, 4) === keyId && verify(null, Buffer.from(text), publicKey, line.subarray(4)),
    );
  if (!isSigned) throw new Error('the note is not signed with this key');
  return text;
}

function openHead(note, key) {
  const [origin, size, root] = openNote(note, key).split('\n');
  return { origin, size: Number(size), root: base64(root) };
}

/** The root to which the hashes lead from a leaf (RFC 9162, 2.1.3.2); undefined if there are too few or too many. */
function rootFrom(leaf, index, size, hashes) {
  let [position, last, hash] = [BigInt(index), BigInt(size) - 1n, sha256(Buffer.of(0), leaf)];
  if (position > last) return undefined;
  for (const sibling of hashes) {
    if (last === 0n) return undefined;
    if (position & 1n || position === last) {
      hash = sha256(Buffer.of(1), sibling, hash);
      for (; !(position & 1n) && position > 0n; position >>= 1n) last >>= 1n;
    } else hash = sha256(Buffer.of(1), hash, sibling);
    [position, last] = [position >> 1n, last >> 1n];
  }
  return last === 0n ? hash : undefined;
}
