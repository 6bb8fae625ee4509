import { z } from 'zod';
import { isMaster } from '../../commands/api-keys.ts';
import { systemTenant } from '../../domain/access/context.ts';
import { clearedSurfaceSchema, filesWhen } from '../../domain/erasure/events.ts';
import { receiptSchema } from '../../domain/erasure/receipt.ts';
import { readErasure } from '../../queries/read-erasure.ts';
import { positionField, waitFields } from '../fields.ts';
import { operation } from '../operation.ts';
import { erasureExample } from './examples.ts';
import { receiptReaders } from './roles.ts';

const target = z.object({
  kind: z.enum(['memory', 'document', 'subject', 'tenant']),
  memoryId: z.string().optional(),
  subject: z.string().optional().meta({ description: 'Pseudonym of the person, as in the log' }),
  tenant: z.string().optional(),
});

export const getErasure = operation({
  name: 'getErasure',
  summary: 'Get the receipt of an erasure, which may still be running',
  area: 'Administration',
  input: z.strictObject({ id: z.string().max(200), ...waitFields }),
  output: z
    .object({
      id: z.string(),
      target,
      state: z.enum(['running', 'complete']),
      files: z.enum(filesWhen),
      requestedAt: z.iso.datetime(),
      requestedBy: z.string().meta({ description: 'Actor, as in histories' }),
      completedAt: z.iso.datetime().optional(),
      reason: z.string().optional(),
      surfaces: z.array(clearedSurfaceSchema).meta({
        description:
          'Each place that held something: how many entries, and whether it is `cleared`, or has only ciphertext that is `unreadable`',
      }),
      outOfReach: receiptSchema.shape.outOfReach.meta({
        description: 'Copies that the erasure cannot reach',
      }),
      position: positionField,
      proof: z.string().optional().meta({
        description:
          'Proof that the event of the erasure is in the signed log (C2SP tlog-proof); there as soon as a signed head covers it',
      }),
      signature: z.string().optional().meta({
        description:
          'The receipt of a complete erasure in canonical JSON, as a note that is signed with the key of the log (C2SP signed-note)',
      }),
    })
    .meta({ id: 'Erasure' }),
  examples: { input: { id: erasureExample.id }, output: erasureExample },
  access: receiptReaders,
  reads: 'log',
  async handle({ caller, input: { id }, services: { commands, proofs, outOfReach }, token }) {
    const { state, requested, completedAt } = await readErasure(
      commands.store,
      // The receipts of tenants that were erased.
      isMaster(caller) ? systemTenant : caller.tenant,
      id,
    );
    const found = await proofs.find(requested.position);
    const proof = found && (await proofs.prove(found));
    const { generation: _, keys: __, ...shown } = { generation: 0, keys: 0, ...state.target };
    return {
      output: {
        id,
        target: shown,
        state: state.receipt === undefined ? ('running' as const) : ('complete' as const),
        files: state.files,
        requestedAt: requested.time.toISOString(),
        requestedBy: requested.metadata.actor,
        ...(completedAt && { completedAt: completedAt.toISOString() }),
        ...(requested.reason !== undefined && { reason: requested.reason }),
        surfaces: [...state.surfaces],
        outOfReach: [...outOfReach],
        position: token(requested.position),
        ...(proof !== undefined && { proof }),
        ...(state.receipt !== undefined && { signature: state.receipt }),
      },
    };
  },
});
