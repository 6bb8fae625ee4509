import { z } from 'zod';
import { restoreMemory as restore } from '../../commands/delete-memory.ts';
import { expectedRevisionField, memoryIdField } from '../fields.ts';
import { operation } from '../operation.ts';
import { auditOfUnchanged, memoryAnswerSchema, memoryOutcome } from './answer.ts';
import { memoryAnswerExample, memoryExample } from './examples.ts';
import { writers } from './roles.ts';

export const restoreMemory = operation({
  name: 'restoreMemory',
  summary: 'Restore a soft-deleted memory',
  area: 'Memories',
  input: z.strictObject({ memoryId: memoryIdField, expectedRevision: expectedRevisionField }),
  output: memoryAnswerSchema,
  examples: { input: { memoryId: memoryExample.id }, output: memoryAnswerExample },
  access: 'every-caller',
  serves: writers.roles,
  command: {
    scope: ({ memoryId }) => ['POST', `/v1/memories/${memoryId}/restore`],
    arguments: z.strictObject({}),
  },
  expectedRevision: 'optional',
  audit: auditOfUnchanged,
  async handle(call) {
    const { memoryId, expectedRevision } = call.input;
    const result = await restore(call.services.commands, call.context, memoryId, expectedRevision);
    return memoryOutcome(call, result);
  },
});
