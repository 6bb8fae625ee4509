import { expect, it } from 'vitest';
import type { RecordedTrace } from '../../src/domain/experience/events.ts';
import { traceSchema, traceView } from '../../src/domain/experience/trace-view.ts';

const recorded: RecordedTrace = {
  traceId: '019a0c40-1111-7f31-8a55-5b1f6f0a7c21',
  layer: 'user',
  scope: { user: 'ada' },
  outcome: 'success',
  origin: 'search',
  memoryIds: ['019a0c40-2222-7f31-8a55-5b1f6f0a7c21'],
  helpfulIds: ['019a0c40-2222-7f31-8a55-5b1f6f0a7c21'],
  executionTimeMs: 40,
  model: 'gpt-4.1',
  space: 'crm',
  searchId: '019a0c40-1111-7f31-8a55-5b1f6f0a7c21.7d4932b4',
  experience: { bucket: 'levels-0000', arm: 'plain', applied: true, explored: true },
  similarTo: { traceId: '019a0c40-3333-7f31-8a55-5b1f6f0a7c21', similarity: 0.9 },
  query: 'When are releases cut?',
  approach: 'search with experience: plain',
  strategy: { mode: 'standard' },
  failureReason: 'too many results',
  successFactors: ['one space alone'],
  sessionId: 'chat-17',
};

it('[C8] [G5] a trace shows the documented fields and no others', () => {
  const { traceId, memoryIds, helpfulIds, experience: _, ...others } = recorded;
  const view = traceView(recorded, { createdBy: 'user:ada', createdAt: '2026-05-04T08:00:00.000Z' });
  expect(traceSchema.strict().safeParse(view).error?.issues ?? []).toEqual([]);
  expect(view).toEqual({
    id: traceId,
    ...others,
    memoriesUsed: memoryIds,
    memoriesHelpful: helpfulIds,
    createdBy: 'user:ada',
    createdAt: '2026-05-04T08:00:00.000Z',
  });
});
