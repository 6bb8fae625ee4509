import { storeMemory as store, storeMemoryInput } from '../../commands/store-memory.ts';
import { operation } from '../operation.ts';
import { memoryAnswerSchema, memoryOutcome } from './answer.ts';
import { memoryAnswerExample, storeExample } from './examples.ts';
import { writers } from './roles.ts';

export const storeMemory = operation({
  name: 'storeMemory',
  summary: 'Store a memory',
  area: 'Memories',
  input: storeMemoryInput,
  output: memoryAnswerSchema,
  examples: { input: storeExample, output: memoryAnswerExample },
  access: writers,
  command: { scope: () => ['POST', '/v1/memories'] },
  async handle(call) {
    const result = await store(call.services.commands, call.context, call.input);
    return memoryOutcome(call, result, { isNew: true });
  },
});
