import type { ModelScale } from '../domain/ranking/calibration.ts';

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

/** A model that this program can load. */
export interface RegisteredModel extends EmbeddingModel {
  /** What people call it: without the marks of its weights. */
  readonly name: string;
  /** How its cosines are read, where it brings that along; else the ranking's own table says. */
  readonly scale?: ModelScale | undefined;
}

/** Why a model does not answer, and since when it does not. */
export interface ModelFailure {
  readonly error: unknown;
  readonly since: Date;
}

/** What the program spent on one run of a model: a text on a thread, or the texts of one request to an endpoint. */
export interface EmbeddingRun {
  /** Its id. */
  readonly model: string;
  readonly purpose: EmbeddingPurpose;
  readonly outcome: 'embedded' | 'failed';
  readonly texts: number;
  /** Of them, those that the model will never take. */
  readonly refused: number;
  /** Read by the model: as it counts them, or estimated where an endpoint does not say; 0 of a run that failed. */
  readonly tokens: number;
  /** Repetitions of a request included. */
  readonly durationMs: number;
}

/** Told of every run; must not throw. */
export type OnEmbeddingRun = (run: EmbeddingRun) => void;

/** The models of this program with the embedder of each. Read models of several may be kept side by side. */
export interface Embedders {
  /** What the configuration chooses: the model of a first read model. */
  readonly preferred: RegisteredModel;
  readonly models: readonly RegisteredModel[];
  /** By id, or by name. */
  find(idOrName: string): RegisteredModel | undefined;
  /**
   * The embedder of a registered model, by its id. The model is loaded with the first text; while that fails,
   * `embed` rejects with `EmbedderUnavailable`.
   */
  of(id: string): Embedder | undefined;
  /** Loads it now. Rejects with what keeps it from loading, such as missing files. */
  load(id: string): Promise<void>;
  /**
   * Has it embed a short text, and waits for the vector for a limited time. Rejects as `load` does, with
   * `EmbedderUnavailable`, or with `WrongDimension`.
   */
  probe(id: string): Promise<void>;
  /** What keeps a model from answering, as it was met last; undefined while it answers, or was not asked yet. */
  failure(id: string): ModelFailure | undefined;
  /** Closes the embedders of all other models; they load again when they are needed. */
  keepOnly(ids: ReadonlySet<string>): Promise<void>;
  close(): Promise<void>;
}

/** The model cannot answer now (endpoint down, overloaded, timed out): try again later. */
export class EmbedderUnavailable extends Error {
  override readonly name: string = 'EmbedderUnavailable';
}

/** It answers vectors of another dimension than it was registered with: another model, until that is mended. */
export class WrongDimension extends EmbedderUnavailable {
  override readonly name = 'WrongDimension';
}

/** The model will never take this text. */
export class TextRefused extends Error {
  override readonly name = 'TextRefused';
}

/** Whether a query is to be answered without its meaning: its words remain. */
export function isWithoutVector(error: unknown): boolean {
  return error instanceof EmbedderUnavailable || error instanceof TextRefused;
}
