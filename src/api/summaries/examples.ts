import { at, position } from '../example-values.ts';
import { memoryExample } from '../memories/examples.ts';

export const summaryExample = {
  layer: 'team',
  scope: { team: 'release' },
  depth: 'sentence',
  personalized: false,
  content: `${memoryExample.content} [1]`,
  tokenCount: 14,
  tokenizer: 'o200k_base',
  sourceHash: '1:9f86d081884c7d65',
  sources: [{ id: memoryExample.id, revision: 0 }],
  generatedAt: at,
  model: 'extractive-1',
  trigger: 'refresh',
  freshness: { stale: false, needsRegeneration: false, ageSeconds: 12 },
};

export const summariesExample = { items: [summaryExample], position, warnings: [] };

export const refreshExample = { layer: 'team', scope: { team: 'release' } };

export const refreshedExample = { layer: 'team', scope: { team: 'release' }, position };

export const settingsExample = {
  depths: ['sentence', 'paragraph', 'detailed'],
  updateIntervalSeconds: 86_400,
  updateOnChanges: 10,
  skipIfUnchanged: true,
  maxAgeSeconds: 604_800,
};

export const configuredExample = { layer: 'team', settings: settingsExample, position };
