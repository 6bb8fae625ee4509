import { z } from 'zod';
import { giveFeedback } from '../../api/memories/give-feedback.ts';
import { memoryIdField } from './one-memory.ts';
import { tool } from './tool.ts';

const { kind, score, searchId, note } = giveFeedback.input.shape;

export const memoryFeedback = tool({
  name: 'memory_feedback',
  title: 'Judge a memory',
  description:
    'Judge a memory after you have used it or found it wrong. Later searches take it into account.',
  input: z.strictObject({
    memory_id: memoryIdField,
    kind,
    score: score.meta({ description: 'Strength, -1 to 1' }),
    search_id: searchId.meta({
      description: 'Required for helpful and irrelevant',
    }),
    note: note.meta({ description: 'Why' }),
  }),
  effect: 'adds',
  isCore: true,
  async call({ memory_id: memoryId, kind, score, search_id: searchId, note }, act) {
    await act(giveFeedback, { memoryId, kind, score, searchId, note });
    return { fields: { recorded: true }, text: `Recorded: ${memoryId} is ${kind}.` };
  },
});
