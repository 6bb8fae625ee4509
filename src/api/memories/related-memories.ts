import { z } from 'zod';
import { linkTypeSchema } from '../../domain/links/links.ts';
import { memorySchema } from '../../domain/memory/view.ts';
import { findRelated, maxRelated } from '../../queries/related.ts';
import { asOfField, asRecorded, memoryIdField, waitFields } from '../fields.ts';
import { operation } from '../operation.ts';
import { memoryExample, relatedExample } from './examples.ts';
import { readers } from './roles.ts';

const related = z.object({
  memory: memorySchema,
  type: linkTypeSchema,
  direction: z.enum(['outgoing', 'incoming']),
  confidence: z.number(),
  depth: z.int(),
  via: z.string(),
});

export const relatedMemories = operation({
  name: 'relatedMemories',
  summary: 'Follow links from a memory in both directions, nearest first',
  area: 'Memories',
  input: z.strictObject({
    memoryId: memoryIdField,
    types: z.array(linkTypeSchema).min(1).optional(),
    depth: z.int().min(1).max(5).optional(),
    asOf: asOfField,
    ...waitFields,
  }),
  output: z.object({
    items: z.array(related).max(maxRelated),
    truncated: z.literal(true).optional().meta({
      description:
        'Present if there may be more: request fewer `types` or a smaller `depth`, or start from one of these memories',
    }),
    position: z.string(),
  }),
  examples: { input: { memoryId: memoryExample.id, types: ['supersedes'] }, output: relatedExample },
  access: 'every-caller',
  serves: readers,
  reads: 'read-models',
  awaitsOwn: ['memories', 'links'],
  cost: () => 0.5,
  audit: { what: 'related memories', when: 'watched' },
  async handle({ caller, input, services: { commands, models }, asOf, wait, token }) {
    const { memoryId, types, depth = 1 } = input;
    const request = { types, depth, asOf, ...wait };
    const { of, items, truncated, position } = await findRelated(
      commands.store,
      models,
      caller,
      memoryId,
      request,
    );
    return {
      output: { items, ...(truncated && { truncated }), position: token(position) },
      read: {
        memoryId,
        items: items.length,
        memories: [of, ...items.map(({ memory }) => memory)],
        parameters: asRecorded({ types, depth, asOf: input.asOf }),
      },
    };
  },
});
