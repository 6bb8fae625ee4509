import { z } from 'zod';
import { deleteMemory as softDelete } from '../../commands/delete-memory.ts';
import { eraseMemory } from '../../commands/erase-memory.ts';
import { filesField } from '../../commands/erasure/request-erasure.ts';
import { expectedRevisionField, memoryIdField, positionField } from '../fields.ts';
import { operation, type Call, type Outcome } from '../operation.ts';
import { auditOfUnchanged, memoryAnswerSchema, memoryOutcome, type MemoryAnswer } from './answer.ts';
import { erasedExample, memoryExample } from './examples.ts';
import { writers } from './roles.ts';

const erasedMemory = z
  .object({ id: z.string(), state: z.literal('erased'), revision: z.int(), erasedAt: z.iso.datetime() })
  .meta({ id: 'ErasedMemory' });

interface ErasedAnswer {
  readonly memory: z.infer<typeof erasedMemory>;
  readonly receipt: string;
  readonly position: string;
}

const input = z.strictObject({
  memoryId: memoryIdField,
  mode: z.enum(['soft', 'erase']).default('soft'),
  files: filesField.optional(),
  expectedRevision: expectedRevisionField,
});

/** Erasing needs the role admin; the command checks it. */
export const deleteMemory = operation<typeof input, MemoryAnswer | ErasedAnswer>({
  name: 'deleteMemory',
  summary: 'Soft-delete a memory, or erase it permanently',
  area: 'Memories',
  input,
  output: z.union([
    memoryAnswerSchema,
    z.object({
      memory: erasedMemory,
      receipt: z.string().meta({ description: 'Id of the receipt: `GET /v1/erasures/{id}`' }),
      position: positionField,
    }),
  ]),
  examples: { input: { memoryId: memoryExample.id, mode: 'erase' }, output: erasedExample },
  access: 'every-caller',
  serves: writers.roles,
  command: {
    scope: ({ memoryId }) => ['DELETE', `/v1/memories/${memoryId}`],
    arguments: null,
    variant: ({ mode }) => (mode === 'soft' ? '' : mode),
  },
  expectedRevision: 'optional',
  audit: auditOfUnchanged,
  async handle(call) {
    const { memoryId, mode, expectedRevision } = call.input;
    if (mode === 'erase') return erase(call);
    const result = await softDelete(call.services.commands, call.context, memoryId, expectedRevision);
    return memoryOutcome(call, result);
  },
});

async function erase({
  input: { memoryId, expectedRevision, files },
  caller: { tenant },
  context,
  services,
  token,
}: Call<z.output<typeof input>>): Promise<Outcome<ErasedAnswer>> {
  const erased = await eraseMemory(services.commands, context, memoryId, {
    match: expectedRevision,
    ...(files && { files }),
    count: (id) => services.surfaces.count([{ tenant, memoryId: id }]),
  });
  return {
    output: {
      memory: {
        id: erased.memoryId,
        state: 'erased',
        revision: erased.revision,
        erasedAt: erased.erasedAt.toISOString(),
      },
      receipt: erased.memoryId,
      position: token(erased.position),
    },
    replayed: erased.replayed,
  };
}
