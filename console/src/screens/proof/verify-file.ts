import { isSignedBy, Malformed, parseCheckpoint, parseNote, parseVerifierKey } from './note.ts';
import { bad, canonical, good, jsonOf, verdictOf, type Verdict } from './verdict.ts';
import { proofHeader, verifyCheckpoint, verifyProof } from './verify.ts';

/** An erasure as the server shows it. */
interface ShownErasure {
  readonly id?: unknown;
  readonly surfaces?: unknown;
  readonly signature?: string | undefined;
  readonly proof?: string | undefined;
}

/** Verifies the receipt of an erasure: its signature, that what is shown was signed, and that its event is in the signed log. */
export async function verifyReceipt(shown: ShownErasure, key: string): Promise<Verdict> {
  return verdictOf(async (checks) => {
    if (shown.signature === undefined) {
      const detail = 'It has none yet: the erasure is still running, or this is not a receipt.';
      checks.push({ name: 'Signature of the receipt', result: 'unknown', detail });
      return {};
    }
    const note = parseNote(shown.signature);
    const isSigned = await isSignedBy(note, await parseVerifierKey(key));
    checks.push({
      name: 'Signature of the receipt',
      ...(isSigned
        ? good('It is signed with the verifier key.')
        : bad('It is not signed with the verifier key.')),
    });
    const receipt = jsonOf(note.text);
    const isSame =
      shown.id === receipt['erasureId'] && canonical(shown.surfaces) === canonical(receipt['surfaces']);
    checks.push({
      name: 'What is shown is what was signed',
      ...(isSame ? good('Its id and all places are the same.') : bad('Its id or its places differ.')),
    });
    if (shown.proof === undefined) {
      const detail = 'No signed head covers the erasure yet. Ask again in a minute.';
      checks.push({ name: 'In the log', result: 'unknown', detail });
      return { receipt };
    }
    const proof = await verifyProof(shown.proof, key);
    checks.push(...proof.checks);
    const { id, position, hash } = proof.leaf ?? {};
    const isItsEvent =
      proof.head?.origin === receipt['log'] &&
      canonical({ id, position, hash }) === canonical(receipt['event']);
    checks.push({
      name: 'The proof is about this erasure',
      ...(isItsEvent ? good('It names the same event.') : bad('It is about another event or another log.')),
    });
    return { receipt, ...(proof.head && { head: proof.head }) };
  });
}

/** What kind of file a text is; undefined if it is none of these. */
export function kindOf(text: string): 'proof' | 'head' | 'receipt' | undefined {
  if (text.startsWith(proofHeader)) return 'proof';
  if (text.trimStart().startsWith('{')) return 'receipt';
  try {
    parseCheckpoint(text);
    return 'head';
  } catch {
    return undefined;
  }
}

/** Verifies a proof, a signed head or a receipt. */
export async function verifyFile(text: string, key: string): Promise<Verdict> {
  const kind = kindOf(text);
  if (kind === 'proof') return verifyProof(text, key);
  if (kind === 'head') return verifyCheckpoint(text, key);
  return verdictOf(async (checks) => {
    if (kind === undefined) throw new Malformed('This is not a proof, a signed head or a receipt.');
    const { checks: made, ...found } = await verifyReceipt(jsonOf(text), key);
    checks.push(...made);
    return found;
  });
}
