import type { RetrievalEvent } from '../../src/domain/retrieval/events.ts';

type SearchPerformed = Extract<RetrievalEvent, { type: 'SearchPerformed' }>;

/** A standard search that found one memory. */
export function performedSearch(searchId: string, memoryId: string, query: string): SearchPerformed {
  return {
    type: 'SearchPerformed',
    data: {
      searchId,
      topK: 10,
      order: 'precedence',
      readPosition: 1,
      results: [{ memoryId, rank: 1, relevance: 0.9, score: 0.9 }],
      warnings: [],
      durationMs: 5,
      route: 'standard',
      query,
    },
  };
}
