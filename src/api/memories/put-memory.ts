import { withConflictsSought } from '../../commands/context.ts';
import { putMemory as put, putMemoryInput } from '../../commands/put-memory.ts';
import { externalIdSchema } from '../../domain/layers.ts';
import { expectedRevisionField, mustBeNewField } from '../fields.ts';
import { operation } from '../operation.ts';
import { auditOfUnchanged } from './answer.ts';
import { arrivalOf, storedAnswerSchema, storedOutcome } from './conflicts.ts';
import { memoryExample, putExample, storedAnswerExample } from './examples.ts';
import { writers } from './roles.ts';

export const putMemory = operation({
  name: 'putMemory',
  summary: 'Store a memory under an externalId, or replace the mutable fields of the memory that has it',
  area: 'Memories',
  input: putMemoryInput.extend({
    externalId: externalIdSchema,
    expectedRevision: expectedRevisionField,
    mustBeNew: mustBeNewField,
  }),
  output: storedAnswerSchema,
  examples: {
    input: { externalId: memoryExample.externalId, ...putExample },
    output: storedAnswerExample,
  },
  access: writers,
  command: {
    scope: ({ externalId }) => ['PUT', `/v1/memories/external/${encodeURIComponent(externalId)}`],
    arguments: putMemoryInput,
  },
  expectedRevision: 'optional',
  mustBeNew: true,
  audit: auditOfUnchanged,
  async handle(call) {
    const { expectedRevision: match, mustBeNew: isNew, ...memory } = call.input;
    const upTo = await arrivalOf(call.services, memory.onConflict);
    const context = withConflictsSought(call.context, memory.onConflict);
    const result = await put(call.services.commands, context, memory, { match, isNew });
    return storedOutcome(call, result, { isNew: result.isNew, upTo });
  },
});
