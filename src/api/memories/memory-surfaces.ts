import { z } from 'zod';
import { unknownMemory } from '../../commands/change-memory.ts';
import { isMemoryId } from '../../domain/streams.ts';
import { memoryIdField, waitFields } from '../fields.ts';
import { operation } from '../operation.ts';
import { memoryExample, surfacesExample } from './examples.ts';

export const memorySurfaces = operation({
  name: 'memorySurfaces',
  summary:
    'List where content of a memory, or what was derived from it, is held; 0 everywhere after its erasure',
  area: 'Memories',
  input: z.strictObject({ memoryId: memoryIdField, ...waitFields }),
  output: z.object({
    items: z.array(
      z.object({
        name: z.string().meta({ description: 'A read model, or what this process keeps in memory' }),
        count: z.int().meta({ description: 'Number of rows or entries' }),
      }),
    ),
  }),
  examples: { input: { memoryId: memoryExample.id }, output: surfacesExample },
  access: { roles: ['admin'], refusal: 'what is held of a memory is shown to admins of its tenant' },
  reads: 'log',
  audit: { what: 'where a memory is held', when: 'always' },
  async handle({ caller: { tenant }, input: { memoryId }, services }) {
    if (!isMemoryId(memoryId)) throw unknownMemory();
    const items = await services.surfaces.count([{ tenant, memoryId }]);
    return { output: { items }, read: { memoryId, items: items.length } };
  },
});
