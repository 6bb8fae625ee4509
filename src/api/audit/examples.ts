import { at, position, searchId } from '../example-values.ts';
import { memoryExample } from '../memories/examples.ts';

/** One input and one output of each operation of this area, as documentation shows them. */

export const auditExample = {
  items: [
    {
      id: '019a0c3f-0d2e-7f31-8a55-5b1f6f0a7c21',
      type: 'MemoryDeleted',
      stream: 'memory-acme.019a0c3e-7c1b-7a40-9d4f-2f6a5f3f9b10',
      revision: 2,
      position,
      at,
      actor: 'user:alice',
      principal: 'key:4f1c2d',
      cause: 'user',
      correlationId: 'f0b0f7c4-6a60-4d3d-9a53-6b2a2c1f7e11',
      reason: 'outdated',
      hash: '79aa0647a482ac98b23103012bd9d6383fba47d3a6d87508c7f026e5139379d1',
      data: { memoryId: '019a0c3e-7c1b-7a40-9d4f-2f6a5f3f9b10', retentionUntil: '2026-06-03T09:30:00.000Z' },
    },
  ],
  position,
};

const found = { memoryId: memoryExample.id, relevance: 0.83, score: 0.898 };
const cited = { memoryId: memoryExample.id, score: 0.83 };

const features = { score: 0.329, depth: 0, operands: 2, pending: 2, searches: 1, found: 6 };

export const auditedSearchExample = {
  searchId,
  at,
  actor: 'user:alice',
  request: {
    query: 'Compare how Search and Billing retry',
    topK: 10,
    threshold: 0.2,
    order: 'precedence',
  },
  readPosition: position,
  embeddingModel: 'multilingual-e5-small',
  warnings: [],
  durationMs: 74,
  route: 'decomposition',
  reason: 'complex',
  score: 0.402,
  threshold: 0.3,
  signals: [
    { name: 'layers', value: 0, weight: 0.3 },
    { name: 'aggregation', value: 0, weight: 0.25 },
    { name: 'comparison', value: 1, weight: 0.25 },
    { name: 'structure', value: 0.76, weight: 0.2 },
  ],
  policyVersion: 'rules-1',
  features: { score: 0.402, threshold: 0.3, layers: 0, aggregation: 0, comparison: 1, structure: 0.76 },
  arms: ['standard', 'decomposition'],
  propensities: [0.21, 0.79],
  incumbent: 'decomposition',
  taken: 'decomposition',
  evaluation: false,
  results: [{ ...found, rank: 1, steps: [1, 2] }],
  trajectory: {
    outcome: 'complete',
    shown: true,
    strategy: 'compare',
    planning: [{ depth: 0, by: 'rules', durationMs: 3.2, tokens: 0 }],
    startedAt: at,
    endedAt: at,
    durationMs: 71.4,
    tokens: 21,
    queries: 3,
    maxDepth: 0,
    resultCount: 1,
    warnings: [],
    plan: {
      aggregation: 'compare',
      operands: [
        { label: 'Search', query: 'Search retry' },
        { label: 'Billing', query: 'Billing retry' },
      ],
    },
    reasoning: [
      {
        depth: 0,
        strategy: 'targeted',
        reason: 'nothing-named',
        source: 'rules',
        outcome: 'complete',
        at,
        durationMs: 0.1,
        searches: [
          { query: 'Search retry', dense: 'Search retry', lexical: 'Search retry' },
          { query: 'Billing retry', dense: 'Billing retry', lexical: 'Billing retry' },
        ],
      },
    ],
    steps: [
      {
        step: 2,
        depth: 0,
        action: 'SearchLayer',
        status: 'done',
        at,
        durationMs: 22.8,
        tokens: 3,
        queries: 1,
        choices: ['SearchLayer', 'FilterByRelevance', 'Aggregate'],
        features,
        propensity: 1,
        found: 1,
        results: [cited],
        arguments: { operand: 1, query: 'Search retry' },
      },
    ],
    citations: [{ ...cited, steps: [1, 2] }],
  },
  outcomes: [{ at, source: 'caller', kind: 'used', memoryIds: [memoryExample.id], quality: 0.9 }],
  outcome: { kind: 'used', quality: 0.9, explicit: true, source: 'caller' },
};

const recordedAnswer = {
  embeddingModel: 'multilingual-e5-small',
  route: 'standard',
  policyVersion: 'rules-1',
  warnings: [],
};

export const replayExample = {
  searchId,
  position,
  asRecorded: { ...recordedAnswer, results: [{ ...found, rank: 1 }] },
  now: { ...recordedAnswer, results: [] },
  differences: [{ id: memoryExample.id, kind: 'missing', cause: 'erased' }],
};

export const whatIfExample = {
  input: { without: { source: 'https://example.com/forum' }, searches: [searchId] },
  output: {
    position,
    leftOut: { events: 3, memories: [memoryExample.id] },
    answers: [
      {
        searchId,
        position,
        before: { ...recordedAnswer, results: [{ ...found, rank: 1 }] },
        after: { ...recordedAnswer, results: [] },
        differences: [{ id: memoryExample.id, kind: 'missing', cause: 'left-out' }],
      },
    ],
    summaries: [
      {
        layer: 'team',
        scope: { team: 'release' },
        depth: 'sentence',
        personalized: false,
        generatedAt: at,
        leftOut: [memoryExample.id],
      },
    ],
    policies: [],
    values: [],
  },
};

const root = 'sFodV/vSp5O8n9a8QpW6PRY97tfOSW5bsc2Xl/EQi08=';
const origin = 'stratalog/019a0c3f-0d2e-4f31-8a55-5b1f6f0a7c21';

export const checkpointExample = `${origin}\n109482\n${root}\n\n— ${origin} 8N1hA2h…\n`;

export const cosignedExample = `${checkpointExample}— witness.example ahyfIAAA…\n`;

export const headsExample = {
  origin,
  verifierKey: `${origin}+f0dd6103+AZlJ1ukG…`,
  items: [{ size: 109_482, root, at, position, note: checkpointExample }],
};

export const proofExample = `c2sp.org/tlog-proof@v1\nextra eyJoYXNoIjoi…\nindex 73894\n${root}\n\n${checkpointExample}`;

export const reportExample = {
  state: 'sound' as const,
  events: 109_490,
  heads: 312,
  signed: { size: 109_482, root },
};
