import type { ModelComparison } from '../domain/retrieval/model-comparison.ts';

/** A query for comparing two models. */
export interface ComparedQuery {
  readonly tenant: string;
  readonly query: string;
}

export interface ShadowRequest {
  /** Ids of the new and the live model. */
  readonly model: string;
  readonly liveModel: string;
  /** Replace the recorded queries. */
  readonly queries?: readonly ComparedQuery[] | undefined;
}

/** Answers the same queries with two models. The answers are only compared. */
export type ShadowComparison = (request: ShadowRequest, signal: AbortSignal) => Promise<ModelComparison>;
