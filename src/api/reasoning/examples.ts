import { at, position } from '../example-values.ts';
import { memoryExample } from '../memories/examples.ts';

export const recordTraceExample = {
  query: 'When are releases cut?',
  approach: 'searched the team layer by the word release',
  strategy: { mode: 'standard', order: 'relevance', topK: 5 },
  outcome: 'success',
  successFactors: ['the team layer alone was searched'],
  memoriesUsed: [memoryExample.id],
  memoriesHelpful: [memoryExample.id],
  executionTimeMs: 40,
};

export const traceExample = {
  id: '019a0c40-1111-7f31-8a55-5b1f6f0a7c21',
  ...recordTraceExample,
  layer: 'user',
  scope: { user: 'ada' },
  origin: 'caller',
  createdBy: 'user:ada',
  createdAt: at,
};

export const recordedTraceExample = { trace: traceExample, position };

export const historyBodyExample = { query: 'On which day do we cut a release?', limit: 5 };

export const lessonExample = {
  id: traceExample.id,
  title: 'Questions like: When are releases cut?',
  description:
    '“searched the team layer by the word release” worked 2 times; “searched everywhere” failed once.',
  content:
    'Do: searched the team layer by the word release\nUnlike what failed: topK 5 instead of 50\nAvoid: searched everywhere (too many results)',
  support: 2,
  failures: 0,
  layer: 'user',
  scope: { user: 'ada' },
  revisedAt: at,
};

export const strategiesExample = { items: [lessonExample], position };

export const historyExample = {
  items: [{ trace: traceExample, similarity: 0.87 }],
  lessons: [lessonExample],
  position,
  warnings: [],
};
