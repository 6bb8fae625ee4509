import { withConflictsSought } from '../../commands/context.ts';
import { storeMemory as store, storeMemoryInput } from '../../commands/store-memory.ts';
import { operation } from '../operation.ts';
import { arrivalOf, storedAnswerSchema, storedOutcome } from './conflicts.ts';
import { storedAnswerExample, storeExample } from './examples.ts';
import { writers } from './roles.ts';

export const storeMemory = operation({
  name: 'storeMemory',
  summary: 'Store a memory',
  area: 'Memories',
  input: storeMemoryInput,
  output: storedAnswerSchema,
  examples: { input: storeExample, output: storedAnswerExample },
  access: writers,
  command: { scope: () => ['POST', '/v1/memories'] },
  async handle(call) {
    const upTo = await arrivalOf(call.services, call.input.onConflict);
    const context = withConflictsSought(call.context, call.input.onConflict);
    const result = await store(call.services.commands, context, call.input);
    return storedOutcome(call, result, { isNew: !result.affirmed, upTo });
  },
});
