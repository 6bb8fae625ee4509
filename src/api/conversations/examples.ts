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

export const rebuildFactsExample = { model: 'gpt-4.1' };

export const rebuiltFactsExample = { generation: 2, position };

export const factsExample = {
  live: 1,
  conversations: 1,
  generations: [
    { generation: 1, drawn: 1, facts: 1 },
    { generation: 2, model: 'gpt-4.1', drawn: 1, facts: 1 },
  ],
  comparison: {
    generation: 2,
    same: 0,
    onlyLive: {
      count: 1,
      examples: [{ id: '019a0c3e-7c1b-7a40-9d4f-2f6a5f3f9b10', content: 'Alice has moved to Lyon.' }],
    },
    onlyOther: {
      count: 1,
      examples: [{ id: '019a0c3e-7c1b-7a40-9d4f-2f6a5f3f9b11', content: 'Alice moved to Lyon.' }],
    },
  },
};

export const factsSwitchedExample = { live: 2, position };
