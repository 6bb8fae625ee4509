/** One input and one output of each operation on memories, as documentation shows them. */

import { at, position, searchId } from '../example-values.ts';

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
  trust: { source: 'user', state: 'trusted', flags: [] },
  state: 'active',
  importance: 0.5,
  feedback: { helpful: 2, irrelevant: 0, outdated: 1, inaccurate: 0, duplicate: 0 },
  accessCount: 3,
  lastAccessedAt: at,
  affirmations: 1,
  affirmedAt: at,
};

export const memoryAnswerExample = { memory: memoryExample, position };

export const storedAnswerExample = {
  ...memoryAnswerExample,
  conflicts: [
    {
      id: '019a0c3e-7c1b-7a40-9d4f-2f6a5f3f9b11',
      kind: 'supersedes',
      reason: 'the same text with another date: "Monday", "Tuesday"',
      confidence: 0.8,
    },
  ],
};

export const storeExample = {
  content: memoryExample.content,
  layer: 'team',
  scope: { team: 'release' },
  tags: ['release'],
  externalId: memoryExample.externalId,
};

const { externalId: _, ...withoutExternalId } = storeExample;
export const putExample = withoutExternalId;

export const updateExample = { tags: ['release', 'calendar'], metadata: { owner: null } };

export const memoriesExample = {
  items: [memoryExample],
  nextCursor: 'UkJOdm8xV1paNG9SUnEwVy4wMTlhMGMzZS03YzFiLTdhNDAtOWQ0Zi0yZjZhNWYzZjliMTA',
  position,
};

export const erasedExample = {
  memory: { id: memoryExample.id, state: 'erased', revision: 4, erasedAt: at },
  receipt: memoryExample.id,
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

export const supersededExample = { ...memoryExample, id: '019a0c3e-7c1b-7a40-9d4f-2f6a5f3f9b11' };

export const linkedExample = {
  memoryId: supersededExample.id,
  type: 'supersedes',
  target: memoryExample.id,
};

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

export const feedbackExample = { kind: 'helpful', searchId };

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

export const surfacesExample = {
  items: [
    { name: 'memories', count: 3 },
    { name: 'vectors', count: 2 },
    { name: 'words in memory', count: 1 },
  ],
};
