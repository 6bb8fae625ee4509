import { z } from 'zod';
import { Problem } from '../../domain/problems.ts';
import { verifierKey } from '../../domain/tlog/note.ts';
import { defaultLimit, pageFields } from '../fields.ts';
import { operation } from '../operation.ts';
import { checkpointExample, headsExample } from './examples.ts';
import { auditors } from './roles.ts';

export const auditCheckpoint = operation({
  name: 'auditCheckpoint',
  summary: 'Get the last signed head of the log, as a signed note (C2SP tlog-checkpoint)',
  area: 'Audit',
  input: z.strictObject({}),
  output: z.string(),
  examples: { input: {}, output: checkpointExample },
  access: auditors,
  async handle({ services: { proofs } }) {
    const output = await proofs.checkpoint();
    if (output === undefined) throw notSigned();
    return { output };
  },
});

export const auditHeads = operation({
  name: 'auditHeads',
  summary: 'List the signed heads of the log, newest first, with the key that verifies them',
  area: 'Audit',
  input: z.strictObject({ ...pageFields }),
  output: z.object({
    origin: z.string(),
    verifierKey: z.string().meta({ description: 'Verifier key (C2SP signed-note) of the present signer' }),
    items: z.array(
      z.object({
        size: z.int().meta({ description: 'Number of events' }),
        root: z.string().meta({ description: 'Root of the Merkle tree over them (RFC 6962), in base64' }),
        at: z.iso.datetime(),
        position: z.string(),
        note: z.string(),
        cosignedBy: z
          .array(z.string())
          .optional()
          .meta({ description: 'Names of the witnesses whose signatures the note has, too' }),
      }),
    ),
    restoredFrom: z
      .array(z.object({ origin: z.string(), size: z.int(), root: z.string() }))
      .optional()
      .meta({
        description:
          'Present if the log was restored: the heads of other logs with which it begins, in order',
      }),
    nextCursor: z.string().optional(),
  }),
  examples: { input: { limit: 1 }, output: headsExample },
  access: auditors,
  async handle({ caller, input: { limit = defaultLimit, cursor }, services: { proofs, positions }, token }) {
    const heads = await proofs.heads(
      limit,
      cursor === undefined ? undefined : positions.parse(caller, cursor, 'cursor'),
    );
    const items = heads.map(({ event: { event, time, position }, note, cosignedBy }) => ({
      size: event.data.size,
      root: event.data.root,
      at: time.toISOString(),
      position: token(position),
      note,
      ...(cosignedBy.length > 0 && { cosignedBy }),
    }));
    const restoredFrom = (await proofs.restores()).map(({ from: { origin, size, root } }) => ({
      origin,
      size,
      root,
    }));
    return {
      output: {
        origin: proofs.origin,
        verifierKey: verifierKey(proofs.verifiers[0]!),
        items,
        ...(restoredFrom.length > 0 && { restoredFrom }),
        ...(items.length === limit && { nextCursor: items.at(-1)!.position }),
      },
    };
  },
});

/** No signed head covers what was asked for. */
export function notSigned(): Problem {
  return new Problem('not-signed-yet', 'no signed head covers it yet', { retryAfter: 60 });
}
