/** What an embedding is for: models treat a question and the text that answers it differently. */
export type EmbeddingPurpose = 'query' | 'passage';

export interface EmbeddingModel {
  /** Names the model and its weights; vectors of different ids are never compared. */
  readonly id: string;
  readonly dimension: number;
}

export interface Embedder {
  readonly model: EmbeddingModel;
  /**
   * One unit vector of `model.dimension` numbers for each text, in order. Each text is embedded alone, so that
   * the same text always gives the same vector. Queries overtake waiting passages.
   * Rejects with `EmbedderUnavailable` when the model cannot answer now.
   */
  embed(texts: readonly string[], purpose: EmbeddingPurpose): Promise<Float32Array[]>;
  close(): Promise<void>;
}

/** The model cannot answer now (endpoint down, overloaded, timed out): try again later. */
export class EmbedderUnavailable extends Error {
  override readonly name = 'EmbedderUnavailable';
}
