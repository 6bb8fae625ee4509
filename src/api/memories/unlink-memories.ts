import { z } from 'zod';
import { unlinkMemories as unlink } from '../../commands/link-memories.ts';
import { operation } from '../operation.ts';
import { auditOfUnchanged, memoryOutcome } from './answer.ts';
import { linkedExample, memoryAnswerExample } from './examples.ts';
import { linkAnswerSchema, linkFields, linkPath } from './link-fields.ts';
import { writers } from './roles.ts';

export const unlinkMemories = operation({
  name: 'unlinkMemories',
  summary: 'Remove a link between two memories',
  area: 'Memories',
  input: z.strictObject(linkFields),
  output: linkAnswerSchema,
  examples: { input: linkedExample, output: memoryAnswerExample },
  access: 'every-caller',
  serves: writers.roles,
  command: { scope: (input) => ['DELETE', linkPath(input)], arguments: null },
  audit: auditOfUnchanged,
  async handle(call) {
    const { memoryId, type, target } = call.input;
    const result = await unlink(call.services.commands, call.context, memoryId, type, target);
    return memoryOutcome(call, result);
  },
});
