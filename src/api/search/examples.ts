import { position, searchId } from '../example-values.ts';
import { memoryExample, supersededExample } from '../memories/examples.ts';

/** One input and one output of each operation of this area, as documentation shows them. */

export const searchBodyExample = {
  query: 'When are releases cut?',
  spaces: ['dev_copilot'],
  filter: { 'metadata.owner': { eq: 'release team' } },
  topK: 5,
};

export const searchExample = {
  results: [{ memory: memoryExample, score: 0.898, relevance: 0.83, rank: 1 }],
  searchId,
  position,
  warnings: [],
};

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
    { memory: supersededExample, score: 0.898, relevance: 0.83, rank: 1, supersededBy: memoryExample.id },
    { memory: memoryExample, score: 0.882, relevance: 0.747, rank: 2 },
  ],
  searchId,
  position,
  warnings: [],
};
