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

export const explanationExample = {
  searchId,
  position,
  durationMs: 14,
  embeddingModel: 'multilingual-e5-small',
  routing: {
    route: 'standard',
    reason: 'below-threshold',
    score: 0.12,
    threshold: 0.5,
    signals: [{ name: 'length', value: 0.1, weight: 0.2 }],
  },
  cut: { kind: 'focused', leastScore: 0.832 },
  searches: [
    {
      purpose: 'question',
      text: 'When are releases cut?',
      words: ['releas', 'cut'],
      limit: 50,
      candidates: 2,
      sources: [
        { source: 'dense', found: 2, durationMs: 2.1 },
        { source: 'lexical', found: 1, durationMs: 1.4 },
      ],
      preparationMs: 5.2,
      candidatesMs: 6.1,
      rankingMs: 1.3,
    },
  ],
  candidates: [
    {
      memory: memoryExample,
      state: 'kept',
      rank: 1,
      score: 0.898,
      relevance: 0.83,
      parts: [
        { part: 'base', logOdds: -9.1 },
        { part: 'dense', logOdds: 8.2 },
        { part: 'lexical', logOdds: 2.486 },
      ],
      evidence: { cosine: 0.86, lexical: 1.9, overlap: 0.4 },
      ranks: [
        { search: 0, source: 'dense', rank: 1 },
        { search: 0, source: 'lexical', rank: 1 },
      ],
    },
    {
      memory: supersededExample,
      state: 'left-out',
      reason: 'far-behind',
      score: 0.71,
      relevance: 0.0093,
      parts: [
        { part: 'base', logOdds: -9.1 },
        { part: 'dense', logOdds: 4.43 },
      ],
      evidence: { cosine: 0.71, lexical: 0, overlap: 0 },
      ranks: [{ search: 0, source: 'dense', rank: 2 }],
    },
  ],
  warnings: [],
};
