import { z } from 'zod';
import { archiveMemory as archive, unarchiveMemory as unarchive } from '../../commands/archive-memory.ts';
import { expectedRevisionField, memoryIdField } from '../fields.ts';
import { operation } from '../operation.ts';
import { auditOfUnchanged, memoryAnswerSchema, memoryOutcome } from './answer.ts';
import { memoryAnswerExample, memoryExample } from './examples.ts';
import { writers } from './roles.ts';

export const archiveMemory = changing(
  'archive',
  'Archive a memory: searches, contexts and summaries no longer show it',
  archive,
);

export const unarchiveMemory = changing('unarchive', 'Make an archived memory active again', unarchive);

function changing(verb: 'archive' | 'unarchive', summary: string, change: typeof archive) {
  return operation({
    name: `${verb}Memory`,
    summary,
    area: 'Memories',
    input: z.strictObject({ memoryId: memoryIdField, expectedRevision: expectedRevisionField }),
    output: memoryAnswerSchema,
    examples: { input: { memoryId: memoryExample.id }, output: memoryAnswerExample },
    access: 'every-caller',
    serves: writers.roles,
    command: {
      scope: ({ memoryId }) => ['POST', `/v1/memories/${memoryId}/${verb}`],
      arguments: z.strictObject({}),
    },
    expectedRevision: 'optional',
    audit: auditOfUnchanged,
    async handle(call) {
      const { memoryId, expectedRevision } = call.input;
      const { commands } = call.services;
      return memoryOutcome(call, await change(commands, call.context, memoryId, expectedRevision));
    },
  });
}
