import type { ModelComparison } from '../domain/retrieval/model-comparison.ts';

/** A question that two models are compared by. */
export interface ComparedQuery {
  readonly tenant: string;
  readonly query: string;
}

export interface ShadowRequest {
  /** Ids of the models. */
  readonly model: string;
  readonly liveModel: string;
  /** Instead of those that were recorded. */
  readonly queries?: readonly ComparedQuery[] | undefined;
}

/** Lets two models answer the same queries; nobody sees the answers. */
export type ShadowComparison = (request: ShadowRequest, signal: AbortSignal) => Promise<ModelComparison>;
