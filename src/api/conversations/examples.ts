import { at, position } from '../example-values.ts';

export const conversationExample = {
  messages: [
    { role: 'user', name: 'Alice', content: 'I have moved to Lyon.', at },
    { role: 'assistant', content: 'How do you like it?' },
  ],
  sessionId: 'chat-17',
};

export const recordedConversationExample = {
  id: '019a0c3e-7c1b-7a40-9d4f-2f6a5f3f9000',
  turns: [{ id: '019a0c3e-7c1b-7a40-9d4f-2f6a5f3f9001' }, { id: '019a0c3e-7c1b-7a40-9d4f-2f6a5f3f9002' }],
  facts: 'pending' as const,
  position,
};
