import { z } from 'zod';
import { feedbackInput, giveFeedback as give } from '../../commands/give-feedback.ts';
import { memoryIdField } from '../fields.ts';
import { operation } from '../operation.ts';
import { feedbackExample, memoryExample, positionExample } from './examples.ts';
import { writers } from './roles.ts';

/** Needs the role member or admin; the command checks it after it has found the memory. */
export const giveFeedback = operation({
  name: 'giveFeedback',
  summary: 'Rate how useful a memory was',
  area: 'Memories',
  input: feedbackInput.extend({ memoryId: memoryIdField }),
  output: z.object({ position: z.string() }),
  examples: { input: { memoryId: memoryExample.id, ...feedbackExample }, output: positionExample },
  access: 'every-caller',
  serves: writers.roles,
  command: {
    scope: ({ memoryId }) => ['POST', `/v1/memories/${memoryId}/feedback`],
    arguments: feedbackInput,
  },
  async handle({ input: { memoryId, ...feedback }, context, services, token }) {
    const { position, replayed } = await give(services.commands, context, memoryId, feedback);
    return { output: { position: token(position) }, replayed };
  },
});
