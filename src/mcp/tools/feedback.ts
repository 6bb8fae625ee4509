import { z } from 'zod';
import { giveFeedback } from '../../api/memories/give-feedback.ts';
import { memoryIdField } from './one-memory.ts';
import { tool } from './tool.ts';

const { kind, score, searchId, note } = giveFeedback.input.shape;

export const memoryFeedback = tool({
  name: 'memory_feedback',
  title: 'Judge a memory',
  description:
    'Say whether a memory from a search was helpful, irrelevant, outdated, inaccurate or a duplicate. Later searches take it into account. Call it after you have used a result or found it wrong.',
  input: z.strictObject({
    memory_id: memoryIdField,
    kind,
    score: score.meta({
      description: 'Strength of the judgement, -1 to 1; a positive score withdraws an earlier negative one',
    }),
    search_id: searchId.meta({
      description: 'searchId of the search that returned it; required for helpful and irrelevant',
    }),
    note: note.meta({ description: 'Reason, in one sentence' }),
  }),
  output: z.object({ recorded: z.literal(true) }),
  effect: 'changes-once',
  async call({ memory_id: memoryId, kind, score, search_id: searchId, note }, act) {
    await act(giveFeedback, { memoryId, kind, score, searchId, note });
    return { fields: { recorded: true as const }, text: `Recorded: ${memoryId} is ${kind}.` };
  },
});
