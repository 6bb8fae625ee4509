import { recordConversation } from '../../api/conversations/record-conversation.ts';
import { bind } from '../binding.ts';

export const conversationBindings = [
  bind(recordConversation, 'post', '/v1/conversations', {
    success: { status: 202, description: 'The turns are stored; facts follow' },
  }),
];
