import { z } from 'zod';
import { memorySchema } from '../../domain/memory/view.ts';
import { getMemory as get } from '../../queries/get-memory.ts';
import { asOfField, asRecorded, memoryIdField, waitFields } from '../fields.ts';
import { operation } from '../operation.ts';
import { memoryExample } from './examples.ts';
import { decorated } from './decorated.ts';
import { includeQuarantinedField, withheldFor } from './withheld.ts';
import { readers } from './roles.ts';

export const getMemory = operation({
  name: 'getMemory',
  summary: 'Get a memory',
  area: 'Memories',
  input: z.strictObject({
    memoryId: memoryIdField,
    asOf: asOfField,
    includeQuarantined: includeQuarantinedField,
    ...waitFields,
  }),
  output: memorySchema,
  examples: { input: { memoryId: memoryExample.id }, output: memoryExample },
  access: 'every-caller',
  serves: readers,
  reads: 'log',
  audit: { what: 'memory', when: 'watched' },
  async handle(call) {
    const { caller, input, services, asOf, wait } = call;
    const { commands, models } = services;
    const found = await get(commands.store, models, caller, input.memoryId, {
      asOf,
      withheld: withheldFor(call),
      ...wait,
    });
    const [memory] = await decorated(services, caller, [found]);
    const parameters = asRecorded({ asOf: input.asOf });
    return {
      output: memory!,
      read: { memoryId: found.id, items: 1, memories: [found], parameters },
    };
  },
});
