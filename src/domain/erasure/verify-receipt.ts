import { canonicalJson } from '../json.ts';
import { isSignedBy, parseNote, type Verifier } from '../tlog/note.ts';
import { verifyProof } from '../tlog/proof-file.ts';
import { receiptSchema, type ErasureReceipt } from './receipt.ts';

/** What `GET /v1/erasures/{id}` answers, as far as it is verified. */
export interface ShownErasure {
  readonly id?: unknown;
  readonly surfaces?: unknown;
  readonly signature?: string | undefined;
  readonly proof?: string | undefined;
}

export interface VerifiedReceipt {
  readonly receipt: ErasureReceipt;
  /** Number of events of the signed head that the proof leads to; undefined without a proof. */
  readonly provenIn?: number;
}

/** The receipt does not show what it claims. The message says why. */
export class ReceiptInvalid extends Error {
  override readonly name = 'ReceiptInvalid';
}

/**
 * Verifies a receipt without its server: the signature, that what is shown is what was signed, and the proof that the event of the
 * erasure is in the signed log. Throws `ReceiptInvalid`, or `MalformedNote`.
 */
export function verifyReceipt(shown: ShownErasure, verifier: Verifier): VerifiedReceipt {
  if (shown.signature === undefined)
    throw new ReceiptInvalid('it has no signature: the erasure is not complete');
  const note = parseNote(shown.signature);
  if (!isSignedBy(note, verifier)) throw new ReceiptInvalid('it is not signed with this key');
  const receipt = receiptOf(note.text);
  if (shown.id !== receipt.erasureId || !isSame(shown.surfaces, receipt.surfaces))
    throw new ReceiptInvalid('what it shows is not what was signed');
  if (shown.proof === undefined) return { receipt };
  const { head, isSigned, entry } = verifyProof(shown.proof, verifier);
  if (head.origin !== receipt.log || !isSigned)
    throw new ReceiptInvalid('the head of its proof is not signed with this key');
  if (!entry) throw new ReceiptInvalid('its proof does not lead to the signed head');
  const { id, position, hash } = JSON.parse(entry.toString()) as Record<string, unknown>;
  if (!isSame({ id, position, hash }, receipt.event))
    throw new ReceiptInvalid('its proof is about another event than its erasure');
  return { receipt, provenIn: head.size };
}

function receiptOf(text: string): ErasureReceipt {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ReceiptInvalid('what was signed is not a receipt');
  }
  const { success, data } = receiptSchema.safeParse(value);
  if (!success) throw new ReceiptInvalid('what was signed is not a receipt');
  return data;
}

function isSame(one: unknown, other: unknown): boolean {
  return one !== undefined && canonicalJson(one) === canonicalJson(other);
}
