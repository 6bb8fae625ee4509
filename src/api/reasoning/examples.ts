import { at, position } from '../example-values.ts';
import { memoryExample } from '../memories/examples.ts';
import { searchExample } from '../search/examples.ts';

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

const traceExample = {
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

const lessonExample = {
  id: traceExample.id,
  title: 'Questions like: When are releases cut?',
  description:
    '“searched the team layer by the word release” worked 2 times; “searched everywhere” failed once.',
  content:
    'Do: searched the team layer by the word release\nUnlike what failed: topK 5 instead of 50\nAvoid: searched everywhere, because: too many results',
  support: 2,
  failures: 0,
  model: 'rules-2',
  sources: [],
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

export const experiencedExample = {
  ...searchExample,
  reasoning: {
    strategyUsed: 'plain',
    learnedFrom: [traceExample.id],
    outcome: 'pending',
    adjustmentsMade: ['mode: standard (it worked for similar questions)'],
    executionTimeMs: 38,
  },
};

export const experienceSettingsExample = { enabled: true, share: 0.5, exploration: true };

export const experienceConfiguredExample = { settings: experienceSettingsExample, position };

const counts = { searches: 120, successes: 60, partial: 0, failures: 40 };

const group = {
  ...counts,
  successRate: { value: 0.6, low: 0.502, high: 0.691 },
  searchesPerSuccess: { value: 1.667, low: 1.448, high: 1.991 },
};

export const experienceExample = {
  settings: experienceSettingsExample,
  total: { with: group, without: group, difference: { value: 0, low: -0.136, high: 0.136 } },
  days: [{ day: '2026-05-04', with: group, without: group }],
  position,
};
