import type { SearchExplanation } from '@stratalog/client';

export type { SearchExplanation };

/** A memory that a search has considered: a result, or one that was left out with its reason. */
export type ExplainedCandidate = SearchExplanation['candidates'][number];
