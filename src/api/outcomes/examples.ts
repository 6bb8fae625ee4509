import { position, searchId } from '../example-values.ts';
import { memoryExample } from '../memories/examples.ts';

export const outcomeExample = { searchId, used: [memoryExample.id], quality: 0.9 };

export const sessionExample = { sessionId: 'chat-17' };

export const positionExample = { position };
