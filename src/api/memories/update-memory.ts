import { withConflictsSought } from '../../commands/context.ts';
import { updateMemory as update, updateMemoryInput } from '../../commands/update-memory.ts';
import { expectedRevisionField, memoryIdField } from '../fields.ts';
import { operation } from '../operation.ts';
import { auditOfUnchanged, memoryAnswerSchema, memoryOutcome } from './answer.ts';
import { memoryAnswerExample, memoryExample, updateExample } from './examples.ts';
import { writers } from './roles.ts';

export const updateMemory = operation({
  name: 'updateMemory',
  summary: 'Change a memory with a JSON merge patch',
  area: 'Memories',
  input: updateMemoryInput.extend({ memoryId: memoryIdField, expectedRevision: expectedRevisionField }),
  output: memoryAnswerSchema,
  examples: {
    input: { memoryId: memoryExample.id, expectedRevision: memoryExample.revision, ...updateExample },
    output: memoryAnswerExample,
  },
  access: 'every-caller',
  serves: writers.roles,
  command: {
    scope: ({ memoryId }) => ['PATCH', `/v1/memories/${memoryId}`],
    arguments: updateMemoryInput,
  },
  expectedRevision: 'required',
  audit: auditOfUnchanged,
  async handle(call) {
    const { memoryId, expectedRevision, ...patch } = call.input;
    const context = withConflictsSought(call.context, undefined);
    const result = await update(call.services.commands, context, memoryId, patch, expectedRevision);
    return memoryOutcome(call, result);
  },
});
