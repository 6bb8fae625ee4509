import { z } from 'zod';
import { deleteMemory } from '../../api/memories/delete-memory.ts';
import { getMemory } from '../../api/memories/get-memory.ts';
import { linkMemories } from '../../api/memories/link-memories.ts';
import { listMemories } from '../../api/memories/list-memories.ts';
import { restoreMemory } from '../../api/memories/restore-memory.ts';
import { unlinkMemories } from '../../api/memories/unlink-memories.ts';
import { updateMemory } from '../../api/memories/update-memory.ts';
import { linkTypeSchema } from '../../domain/links/links.ts';
import type { MemoryView } from '../../domain/memory/view.ts';
import { invalid } from '../../domain/problems.ts';
import { inWords, listed, whole } from '../shown-memory.ts';
import { spaceIdField } from './search.ts';
import { tool } from './tool.ts';

export const memoryIdField = z.string();

/** Maximum number of UTF-16 units of a content in one answer. */
export const maxOfOne = 20_000;
/** UTF-16 units of each content in a list. */
const maxOfPage = 500;
const pageSize = 20;

export const memoryGet = tool({
  name: 'memory_get',
  title: 'Get a memory, or list them',
  description:
    'Get one memory with all its fields, or the rest of a long one. Without memory_id, lists memories, newest first.',
  input: z.strictObject({
    memory_id: memoryIdField.optional(),
    start: z.int().min(0).default(0).meta({ description: 'Offset in its content' }),
    max_characters: z.int().min(1).max(1_000_000).default(maxOfOne),
    space_id: spaceIdField,
    deleted: z.boolean().default(false).meta({ description: 'List those that can be restored' }),
    cursor: z.string().optional(),
  }),
  effect: 'reads',
  isCore: true,
  parameters: { space: 'space_id', state: 'deleted' },
  async call({ memory_id: memoryId, start, max_characters: most, space_id: space, deleted, cursor }, act) {
    if (memoryId !== undefined) {
      const memory = whole(await act(getMemory, { memoryId }), start, most);
      return { fields: { memory }, text: inWords(memory) };
    }
    const { items, nextCursor } = await act(listMemories, {
      space: space === undefined ? undefined : [space],
      state: deleted ? 'deleted' : undefined,
      limit: pageSize,
      cursor,
    });
    const memories = items.map((memory) => listed(memory, maxOfPage));
    return {
      fields: { memories, ...(nextCursor !== undefined && { nextCursor }) },
      text: [
        memories.length === 0 ? 'There are no memories here.' : `${memories.length}, the newest first.`,
        ...memories.map((memory) => inWords(memory)),
        ...(nextCursor === undefined ? [] : [`There are more: cursor ${nextCursor}`]),
      ].join('\n\n'),
    };
  },
});

const { content, metadata, tags, spaces, representations } = updateMemory.input.shape;
const changes = { content: content.meta({ description: '' }), metadata, tags, spaces, representations };

const linkField = z.strictObject({
  // Citations are found in the texts.
  type: linkTypeSchema.exclude(['cites']),
  memory_id: memoryIdField,
  remove: z.boolean().default(false),
});

export const memoryUpdate = tool({
  name: 'memory_update',
  title: 'Change a memory',
  description: 'Correct, complete or link a memory instead of storing a second one.',
  input: z.strictObject({
    memory_id: memoryIdField,
    updates: z
      .strictObject({ ...changes, links: z.array(linkField).max(100).optional() })
      .meta({ description: 'Metadata is merged, null removes a key; lists are replaced, links added' }),
    expected_revision: updateMemory.input.shape.expectedRevision.unwrap().default('*'),
  }),
  effect: 'changes',
  isCore: true,
  parameters: {
    ...Object.fromEntries(Object.keys(changes).map((field) => [field, `updates.${field}`])),
    type: 'updates.links.type',
    target: 'updates.links.memory_id',
  },
  async call({ memory_id: memoryId, updates, expected_revision: expectedRevision }, act) {
    const { links = [], ...changed } = updates;
    let memory: MemoryView | undefined;
    if (links.length === 0 || Object.keys(changed).length > 0)
      ({ memory } = await act(updateMemory, { memoryId, expectedRevision, ...changed }));
    else if (expectedRevision !== '*')
      throw invalid('expected_revision', 'belongs to a change of the memory itself; links have no revision');
    for (const { type, memory_id: target, remove } of links)
      ({ memory } = await act(remove ? unlinkMemories : linkMemories, { memoryId, type, target }));
    const shown = listed(memory!);
    const linked = links.map(
      ({ type, memory_id: target, remove }) => `${remove ? 'No longer linked' : 'Linked'}: ${type} ${target}`,
    );
    return {
      fields: { memory: shown },
      text: [`The memory is now:\n${inWords(shown)}`, ...linked].join('\n'),
    };
  },
});

export const memoryDelete = tool({
  name: 'memory_delete',
  title: 'Delete or restore a memory',
  description:
    'Remove a memory that is wrong or unwanted. It can be restored for 30 days. hard_delete erases it for ever: only an admin may, and only if the user wants that.',
  input: z.strictObject({
    memory_id: memoryIdField,
    hard_delete: z.boolean().default(false),
    restore: z.boolean().default(false).meta({ description: 'Undo a deletion' }),
  }),
  effect: 'deletes',
  isCore: true,
  parameters: { mode: 'hard_delete' },
  async call({ memory_id: memoryId, hard_delete: hard, restore }, act) {
    if (restore) {
      if (hard) throw invalid('restore', 'excludes hard_delete');
      const { memory } = await act(restoreMemory, { memoryId });
      return { fields: { id: memory.id, state: memory.state }, text: `Restored memory ${memory.id}.` };
    }
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
