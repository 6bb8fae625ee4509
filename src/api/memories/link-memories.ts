import { linkInput, linkMemories as link } from '../../commands/link-memories.ts';
import { operation } from '../operation.ts';
import { auditOfUnchanged, memoryOutcome } from './answer.ts';
import { linkedExample, linkExample, memoryAnswerExample } from './examples.ts';
import { linkAnswerSchema, linkFields, linkPath } from './link-fields.ts';
import { writers } from './roles.ts';

export const linkMemories = operation({
  name: 'linkMemories',
  summary: 'Link a memory to another, or change the confidence of the link',
  area: 'Memories',
  input: linkInput.extend(linkFields),
  output: linkAnswerSchema,
  examples: { input: { ...linkedExample, ...linkExample }, output: memoryAnswerExample },
  access: 'every-caller',
  serves: writers.roles,
  command: { scope: (input) => ['PUT', linkPath(input)], arguments: linkInput },
  audit: auditOfUnchanged,
  async handle(call) {
    const { memoryId, type, target, confidence } = call.input;
    const { commands } = call.services;
    return memoryOutcome(call, await link(commands, call.context, memoryId, type, target, confidence));
  },
});
