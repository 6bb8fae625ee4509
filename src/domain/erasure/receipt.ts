import { z } from 'zod';
import { canonicalJson } from '../json.ts';
import { signNote, type Signer } from '../tlog/note.ts';
import { clearedSurfaceSchema, erasureTargetSchema } from './events.ts';

/** A copy that this program cannot reach, and what that means. */
const outOfReachSchema = z.object({ what: z.string(), why: z.string() });
export type OutOfReach = z.infer<typeof outOfReachSchema>;

/** What a receipt says. Its canonical JSON is the text of the signed note. */
export const receiptSchema = z.object({
  erasureId: z.string(),
  /** Name of the log, as in its signed heads. */
  log: z.string(),
  tenant: z.string(),
  target: erasureTargetSchema,
  /** The event of the erasure; `hash` is that of its leaf in the signed tree. */
  event: z.object({ id: z.string(), position: z.int(), hash: z.string() }),
  requestedAt: z.iso.datetime(),
  completedAt: z.iso.datetime(),
  surfaces: z.array(clearedSurfaceSchema),
  outOfReach: z.array(outOfReachSchema),
});
export type ErasureReceipt = z.infer<typeof receiptSchema>;

/** The receipt as a signed note (C2SP signed-note), with the keys that sign the heads of the log. */
export function signReceipt(receipt: ErasureReceipt, signers: readonly Signer[]): string {
  return signNote(`${canonicalJson(receipt)}\n`, signers);
}
