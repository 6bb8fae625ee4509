import { z } from 'zod';
import {
  recordConversation as record,
  recordConversationInput,
} from '../../commands/conversations/record-conversation.ts';
import { positionField } from '../fields.ts';
import { writers } from '../memories/roles.ts';
import { operation } from '../operation.ts';
import { conversationExample, recordedConversationExample } from './examples.ts';

export const recordConversation = operation({
  name: 'recordConversation',
  summary:
    'Record a conversation: each message becomes a memory of the session layer, verbatim. Where a language model is configured, facts are drawn from them later',
  area: 'Memories',
  input: recordConversationInput,
  output: z
    .object({
      id: z.string().meta({ description: 'Id of the conversation' }),
      turns: z.array(z.object({ id: z.string() })).meta({ description: 'The memory of each message' }),
      facts: z.enum(['pending', 'off']).meta({
        description:
          '`pending`: facts are drawn in the background. `off`: no model is configured, or none is asked for',
      }),
      position: positionField,
    })
    .meta({ id: 'RecordedConversation' }),
  examples: { input: conversationExample, output: recordedConversationExample },
  access: writers,
  command: { scope: () => ['POST', '/v1/conversations'] },
  async handle({ input, context, services: { commands, languageModels }, token }) {
    const hasModel = languageModels.length > 0;
    const { conversation, position, replayed } = await record(commands, context, input, { hasModel });
    const { conversationId, turnIds, extract } = conversation;
    return {
      output: {
        id: conversationId,
        turns: turnIds.map((id) => ({ id })),
        facts: extract?.pending ? ('pending' as const) : ('off' as const),
        position: token(position),
      },
      replayed,
    };
  },
});
