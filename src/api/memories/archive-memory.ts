import { z } from 'zod';
import { archiveMemory as archive, unarchiveMemory as unarchive } from '../../commands/archive-memory.ts';
import { expectedRevisionField, memoryIdField } from '../fields.ts';
import { operation } from '../operation.ts';
import { auditOfUnchanged, memoryAnswerSchema, memoryOutcome } from './answer.ts';
import { memoryAnswerExample, memoryExample } from './examples.ts';

const input = z.strictObject({ memoryId: memoryIdField, expectedRevision: expectedRevisionField });

export const archiveMemory = operation({
  name: 'archiveMemory',
  summary: 'Archive a memory: searches, contexts and summaries no longer show it',
  area: 'Memories',
  input,
  output: memoryAnswerSchema,
  examples: { input: { memoryId: memoryExample.id }, output: memoryAnswerExample },
  access: 'every-caller',
  command: {
    scope: ({ memoryId }) => ['POST', `/v1/memories/${memoryId}/archive`],
    arguments: z.strictObject({}),
  },
  expectedRevision: 'optional',
  audit: auditOfUnchanged,
  async handle(call) {
    const { memoryId, expectedRevision } = call.input;
    const { commands } = call.services;
    return memoryOutcome(call, await archive(commands, call.context, memoryId, expectedRevision));
  },
});

export const unarchiveMemory = operation({
  name: 'unarchiveMemory',
  summary: 'Make an archived memory active again',
  area: 'Memories',
  input,
  output: memoryAnswerSchema,
  examples: { input: { memoryId: memoryExample.id }, output: memoryAnswerExample },
  access: 'every-caller',
  command: {
    scope: ({ memoryId }) => ['POST', `/v1/memories/${memoryId}/unarchive`],
    arguments: z.strictObject({}),
  },
  expectedRevision: 'optional',
  audit: auditOfUnchanged,
  async handle(call) {
    const { memoryId, expectedRevision } = call.input;
    const { commands } = call.services;
    return memoryOutcome(call, await unarchive(commands, call.context, memoryId, expectedRevision));
  },
});
