/** One body and one answer of each shape about memories, as the OpenAPI document shows it. */

const position = '92edf2a77f45-1c';
const at = '2026-05-04T09:30:00.000Z';

export const positionExample = { position };

export const memoryExample = {
  id: '019a0c3e-7c1b-7a40-9d4f-2f6a5f3f9b10',
  externalId: 'handbook/releases',
  content: 'Releases are cut on the first Tuesday of a month.',
  layer: 'team',
  scope: { company: 'acme', team: 'release' },
  spaces: ['dev_copilot'],
  tags: ['release'],
  metadata: { owner: 'release team' },
  representations: {},
  createdAt: at,
  updatedAt: at,
  createdBy: 'user:alice',
  revision: 0,
  state: 'active',
  importance: 0.5,
  accessCount: 3,
  lastAccessedAt: at,
};

export const memoryAnswerExample = { memory: memoryExample, position };

export const storeExample = {
  content: memoryExample.content,
  layer: 'team',
  scope: { team: 'release' },
  tags: ['release'],
  externalId: memoryExample.externalId,
};

export const updateExample = { tags: ['release', 'calendar'], metadata: { owner: null } };

export const memoriesExample = {
  items: [memoryExample],
  nextCursor: 'UkJOdm8xV1paNG9SUnEwVy4wMTlhMGMzZS03YzFiLTdhNDAtOWQ0Zi0yZjZhNWYzZjliMTA',
  position,
};

export const erasedExample = {
  memory: { id: memoryExample.id, state: 'erased', revision: 4, erasedAt: at },
  position,
};

export const historyExample = {
  items: [
    {
      revision: 1,
      type: 'MemoryUpdated',
      at,
      actor: 'user:alice',
      cause: 'user',
      reason: 'moved to Wednesday',
      changes: { tags: { from: ['release'], to: ['release', 'calendar'] } },
      position,
    },
  ],
};

export const bulkExample = `${JSON.stringify(storeExample)}\n`;

export const bulkLineExample = {
  line: 1,
  status: 201,
  id: memoryExample.id,
  externalId: 'handbook/releases',
  position,
};

export const searchBodyExample = {
  query: 'When are releases cut?',
  spaces: ['dev_copilot'],
  filter: { 'metadata.owner': { eq: 'release team' } },
  topK: 5,
};

export const searchExample = {
  results: [{ memory: memoryExample, score: 0.83, rank: 1 }],
  searchId: '019a0c3f-0d2e-7f31-8a55-5b1f6f0a7c21.2c3a3a8430bc3c6bcd16045da7071dfc',
  position,
  warnings: [],
};

const supersededExample = { ...memoryExample, id: '019a0c3e-7c1b-7a40-9d4f-2f6a5f3f9b11' };

export const linkExample = { confidence: 0.9 };

export const relatedExample = {
  items: [
    {
      memory: supersededExample,
      type: 'supersedes',
      direction: 'outgoing',
      confidence: linkExample.confidence,
      depth: 1,
      via: memoryExample.id,
    },
  ],
  position,
};

export const feedbackExample = { kind: 'helpful', searchId: searchExample.searchId };

export const multiHopBodyExample = { query: 'When are releases cut?', depth: 2, linkTypes: ['supersedes'] };

export const multiHopExample = {
  paths: [
    {
      memories: [supersededExample.id],
      relevance: 0.83,
      steps: [{ via: 'search', score: 0.83 }],
    },
    {
      memories: [supersededExample.id, memoryExample.id],
      relevance: 0.747,
      steps: [
        { via: 'search', score: 0.83 },
        { via: 'link', type: 'supersedes', direction: 'incoming', score: 0.9 },
      ],
    },
  ],
  results: [
    { memory: supersededExample, score: 0.83, rank: 1, supersededBy: memoryExample.id },
    { memory: memoryExample, score: 0.747, rank: 2 },
  ],
  searchId: searchExample.searchId,
  position,
  warnings: [],
};

export const validateBodyExample = { ids: [memoryExample.id, supersededExample.id] };

export const validateExample = {
  contradictions: [],
  supersessions: [
    {
      memory: supersededExample.id,
      supersededBy: memoryExample.id,
      confidence: 0.9,
      reasons: [
        {
          code: 'link',
          detail: 'a link says that it supersedes it',
          confidence: 0.9,
          links: [
            { source: memoryExample.id, type: 'supersedes', target: supersededExample.id, confidence: 0.9 },
          ],
        },
        {
          code: 'wording',
          detail: 'the same text with another date: "Monday", "Tuesday"',
          confidence: 0.8,
          difference: 'date',
          words: ['Monday', 'Tuesday'],
          passages: [
            'Releases are cut on the first Monday of a month.',
            'Releases are cut on the first Tuesday of a month.',
          ],
        },
      ],
    },
  ],
  notFound: [],
  position,
};

const amount = { active: 12, deleted: 1, characters: 8_412 };

export const statsExample = {
  tenant: 'acme',
  coverage: 'tenant',
  total: amount,
  layers: [{ layer: 'team', ...amount }],
  spaces: [{ space: 'dev_copilot', ...amount }],
  access: { total: 40, memories: 9, lastAt: at },
  feedback: { total: 2 },
  position,
};

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

const found = { memoryId: memoryExample.id, score: 0.83 };
const features = { score: 0.329, depth: 0, operands: 2, pending: 2, searches: 1, found: 6 };

export const auditedSearchExample = {
  searchId: searchExample.searchId,
  at,
  actor: 'user:alice',
  request: {
    query: 'Compare how Search and Billing retry',
    topK: 10,
    threshold: 0.2,
    order: 'precedence',
  },
  readPosition: position,
  embeddingModel: 'bge-small-en-v1.5',
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
        results: [found],
        arguments: { operand: 1, query: 'Search retry' },
      },
    ],
    citations: [{ ...found, steps: [1, 2] }],
  },
};
