import type { Stratalog } from '../../../packages/client/src/index.ts';
import { MalformedNote, parseVerifierKey } from '../../domain/tlog/note.ts';
import { parseProof, verifyProof } from '../../domain/tlog/proof-file.ts';
import { isUnreadable, partOf, type Part } from './part.ts';
import type { EventPlace, RangeFigures } from './range-counter.ts';
import type { LogHeads, ProvenEvent, RangeProof } from './report-data.ts';

/** What shows that the first and the last event of a range are in the signed log, and with `verify` that the log is sound. */
export async function proofOf(
  client: Stratalog,
  { first, last }: RangeFigures,
  verify: boolean,
): Promise<RangeProof> {
  const verification = verify
    ? await partOf(client.audit.verify())
    : { unreadable: 'it was left out (--no-verify)' };
  const heads = await partOf(lastHead(client));
  const prove = async (event: EventPlace) =>
    isUnreadable(heads) ? heads : partOf(proven(client, event, heads.verifierKey));
  return {
    heads,
    ...(first && { first: await prove(first) }),
    ...(last && { last: await prove(last) }),
    verification,
  };
}

async function lastHead(client: Stratalog): Promise<LogHeads> {
  const { origin, verifierKey, restoredFrom, items } = await client.audit.heads({ limit: 1 }).page();
  const [head] = items;
  if (!head) return { origin, verifierKey, restoredFrom };
  const { size, root, at, note, cosignedBy } = head;
  return { origin, verifierKey, restoredFrom, last: { size, root, at, note, cosignedBy } };
}

/** The proof of an event, verified on this machine. */
async function proven(client: Stratalog, event: EventPlace, verifierKey: string): Promise<Part<ProvenEvent>> {
  const proof = await client.audit.proof(event.position);
  try {
    const { head, isSigned, entry } = verifyProof(proof, parseVerifierKey(verifierKey));
    const leaf = entry && (JSON.parse(entry.toString()) as { readonly id?: string });
    return {
      ...event,
      leaf: parseProof(proof).index,
      size: head.size,
      proof,
      verified: isSigned && leaf?.id === event.id,
    };
  } catch (error) {
    if (!(error instanceof MalformedNote) && !(error instanceof SyntaxError)) throw error;
    return { unreadable: `the proof that the server gave is malformed: ${error.message}` };
  }
}
