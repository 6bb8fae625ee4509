import { z } from 'zod';
import { relatedMemories } from '../../api/memories/related-memories.ts';
import { validateMemories } from '../../api/memories/validate-memories.ts';
import { inWords, listed } from '../shown-memory.ts';
import { memoryIdField } from './one-memory.ts';
import { tool } from './tool.ts';

const { types, depth } = relatedMemories.input.shape;

export const memoryGetRelated = tool({
  name: 'memory_get_related',
  title: 'Memories linked to a memory',
  description:
    'Follow the links of a memory in both directions: what supports, contradicts, supersedes or causes it.',
  input: z.strictObject({
    memory_id: memoryIdField,
    relationship_types: types.meta({ description: 'Only these links' }),
    max_depth: depth.unwrap().default(1).meta({ description: 'Most links in a row, 1 to 5' }),
  }),
  effect: 'reads',
  parameters: { types: 'relationship_types', depth: 'max_depth' },
  async call({ memory_id: memoryId, relationship_types: types, max_depth: depth }, act) {
    const { items, truncated } = await act(relatedMemories, { memoryId, types, depth });
    const shown = items.map((item) => ({ ...item, memory: listed(item.memory) }));
    return {
      fields: { items: shown, ...(truncated && { truncated }) },
      text: [
        shown.length === 0 ? 'No links lead to or from this memory.' : `${shown.length} linked.`,
        ...shown.map(({ memory, type, direction, depth, via }) =>
          inWords(memory, `${type}, ${direction} from ${via}, depth ${depth}: `),
        ),
        ...(truncated ? ['There may be more: name fewer relationship_types or a smaller max_depth.'] : []),
      ].join('\n\n'),
    };
  },
});

export const memoryValidateConsistency = tool({
  name: 'memory_validate_consistency',
  title: 'Check memories for contradictions',
  description:
    'Compare memories before you rely on several: which contradict each other, which are superseded, and why.',
  input: z.strictObject({
    memory_ids: validateMemories.input.shape.ids.meta({ description: 'At most 100' }),
  }),
  effect: 'reads',
  parameters: { ids: 'memory_ids' },
  async call({ memory_ids: ids }, act) {
    const { contradictions, supersessions, notFound } = await act(validateMemories, { ids });
    const because = (reasons: readonly { detail: string }[]) =>
      reasons.map(({ detail }) => detail).join('; ');
    const lines = [
      ...contradictions.map(
        ({ memories, confidence, reasons }) =>
          `${memories.join(' contradicts ')} (confidence ${confidence}): ${because(reasons)}`,
      ),
      ...supersessions.map(
        ({ memory, supersededBy, confidence, reasons }) =>
          `${memory} is superseded by ${supersededBy} (confidence ${confidence}): ${because(reasons)}`,
      ),
      ...(notFound.length > 0 ? [`Not found: ${notFound.join(', ')}`] : []),
    ];
    return {
      fields: { contradictions, supersessions, notFound },
      text: lines.length === 0 ? 'No contradictions and no supersessions.' : lines.join('\n'),
    };
  },
});
