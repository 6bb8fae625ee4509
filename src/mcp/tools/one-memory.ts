import { z } from 'zod';
import { deleteMemory } from '../../api/memories/delete-memory.ts';
import { getMemory } from '../../api/memories/get-memory.ts';
import { updateMemory } from '../../api/memories/update-memory.ts';
import { inWords, listed, listedMemory, whole, wholeMemory } from '../shown-memory.ts';
import { tool } from './tool.ts';

export const memoryIdField = z.string().meta({ description: 'Id of the memory, from a search result' });

/** Maximum number of UTF-16 units of a content in one answer. */
export const maxOfOne = 20_000;

export const memoryGet = tool({
  name: 'memory_get',
  title: 'Get a memory',
  description:
    'Get one memory by its id with all its fields, or the rest of a long content that another tool has cut.',
  input: z.strictObject({
    memory_id: memoryIdField,
    start: z.int().min(0).default(0).meta({ description: 'Offset in the content to start from' }),
    max_characters: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(maxOfOne)
      .meta({ description: 'Maximum number of characters to return' }),
  }),
  output: z.object({ memory: wholeMemory }),
  effect: 'reads',
  async call({ memory_id: memoryId, start, max_characters: most }, act) {
    const memory = whole(await act(getMemory, { memoryId }), start, most);
    return { fields: { memory }, text: inWords(memory) };
  },
});

const { content, metadata, tags, spaces, representations } = updateMemory.input.shape;
const changes = { content, metadata, tags, spaces, representations };

export const memoryUpdate = tool({
  name: 'memory_update',
  title: 'Change a memory',
  description:
    'Correct or complete an existing memory instead of storing a second one. Earlier versions are kept in its history.',
  input: z.strictObject({
    memory_id: memoryIdField,
    updates: z.strictObject(changes).meta({
      description: 'Fields to change. Metadata is merged, and null removes a key; lists are replaced',
    }),
    expected_revision: updateMemory.input.shape.expectedRevision
      .unwrap()
      .default('*')
      .meta({ description: 'Revision that the memory must have; * accepts any' }),
  }),
  output: z.object({ memory: listedMemory }),
  effect: 'changes',
  parameters: Object.fromEntries(Object.keys(changes).map((field) => [field, `updates.${field}`])),
  async call({ memory_id: memoryId, updates, expected_revision: expectedRevision }, act) {
    const { memory } = await act(updateMemory, { memoryId, expectedRevision, ...updates });
    const shown = listed(memory);
    return { fields: { memory: shown }, text: `The memory is now:\n${inWords(shown)}` };
  },
});

export const memoryDelete = tool({
  name: 'memory_delete',
  title: 'Delete a memory',
  description:
    'Remove a memory that is wrong, or that the user wants forgotten. It can be restored for 30 days. With hard_delete it is erased immediately and forever, which needs an admin and the explicit wish of the user.',
  input: z.strictObject({
    memory_id: memoryIdField,
    hard_delete: z.boolean().default(false).meta({ description: 'Erase the memory irrevocably' }),
  }),
  output: z.object({
    id: z.string(),
    state: z.enum(['active', 'deleted', 'archived', 'erased']),
    retentionUntil: z.string().optional().meta({ description: 'Time until which it can be restored' }),
  }),
  effect: 'deletes',
  parameters: { mode: 'hard_delete' },
  async call({ memory_id: memoryId, hard_delete: hard }, act) {
    const { memory } = await act(deleteMemory, { memoryId, mode: hard ? 'erase' : 'soft' });
    const { id, state } = memory;
    const retentionUntil = 'retentionUntil' in memory ? memory.retentionUntil : undefined;
    return {
      fields: { id, state, ...(retentionUntil !== undefined && { retentionUntil }) },
      text:
        state === 'erased'
          ? `Erased memory ${id} for ever.`
          : `Deleted memory ${id}. It can be restored until ${retentionUntil}.`,
    };
  },
});
