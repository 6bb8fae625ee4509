import type { RetrievalEvent } from '../../src/domain/retrieval/events.ts';

type SearchPerformed = Extract<RetrievalEvent, { type: 'SearchPerformed' }>;

/** A standard search that found these memories. */
export function performedSearch(
  searchId: string,
  memoryIds: readonly string[],
  query: string,
): SearchPerformed {
  return {
    type: 'SearchPerformed',
    data: {
      searchId,
      topK: 10,
      order: 'precedence',
      readPosition: 1,
      results: memoryIds.map((memoryId, index) => ({
        memoryId,
        rank: index + 1,
        relevance: 0.9,
        score: 0.9,
      })),
      warnings: [],
      durationMs: 5,
      route: 'standard',
      query,
    },
  };
}
