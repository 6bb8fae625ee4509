import type { ModelScale } from '../domain/ranking/calibration.ts';

/** Purpose of an embedding: models treat questions and the texts that answer them differently. */
export type EmbeddingPurpose = 'query' | 'passage';

/** Query vectors that each model caches: 1.5 kB each for 384 numbers, and the text. */
export const cachedQueries = 10_000;
/** Endpoints are sent no more of a text, in UTF-16 units. */
export const longestEndpointText = 8_000;

export interface EmbeddingModel {
  /** Identifies the model and its weights. Vectors with different ids are never compared. */
  readonly id: string;
  readonly dimension: number;
}

export interface Embedder {
  readonly model: EmbeddingModel;
  /**
   * Returns a unit vector of `model.dimension` numbers for each text, in order. Each text is embedded independently, so that
   * the same text always has the same vector. That of a long text may be made of the vectors of its passages. Queries have priority over waiting passages.
   * Rejects with `EmbedderUnavailable` if the model cannot answer now. `tenant` pays for a model that costs something; without it nobody
   * does. `spaces` are the labels of the memories that the texts are from: the cost counts in their budgets too. Rejects with
   * `EmbeddingBudgetExhausted` if a budget does not allow that, and with `TextRefused` if the model does not embed one of the texts; see
   * `embedEach`.
   */
  embed(
    texts: readonly string[],
    purpose: EmbeddingPurpose,
    tenant?: string,
    spaces?: readonly string[],
  ): Promise<Float32Array[]>;
  /** Forgets the questions, and their vectors, that it keeps in memory. Absent if it keeps none. */
  forgetQuestions?(): void;
  close(): Promise<void>;
}

/** A model that this program can load. */
export interface RegisteredModel extends EmbeddingModel {
  /** The model's common name, without the identifier of its weights. */
  readonly name: string;
  /** Calibration of its cosines, if it has its own; otherwise that of the ranking's table applies. */
  readonly scale?: ModelScale | undefined;
  /** The name of a model that is behind an endpoint and costs something; absent for models of this machine. */
  readonly endpointModel?: string | undefined;
  /** Where that model is, without credentials. A text that one endpoint does not embed may be embedded by another. */
  readonly endpoint?: string | undefined;
}

/** Why a model does not answer, and since when. */
export interface ModelFailure {
  readonly error: unknown;
  readonly since: Date;
}

/** Cost of one run of a model: one text on a thread, or the texts of one request to an endpoint. */
export interface EmbeddingRun {
  /** Id of the model. */
  readonly model: string;
  readonly purpose: EmbeddingPurpose;
  readonly outcome: 'embedded' | 'failed';
  readonly texts: number;
  /** Number of texts that the model does not embed. */
  readonly refused: number;
  /** Tokens that the model read, or an estimate if an endpoint does not count them; 0 for a failed run. */
  readonly tokens: number;
  /** Includes retries of the request. */
  readonly durationMs: number;
}

/** Called after every run; must not throw. */
export type OnEmbeddingRun = (run: EmbeddingRun) => void;

/** The models of this program and their embedders. There may be read models for several models at the same time. */
export interface Embedders {
  /** The configured model, used for the first read model. */
  readonly preferred: RegisteredModel;
  readonly models: readonly RegisteredModel[];
  /** Finds a model by id or name. */
  find(idOrName: string): RegisteredModel | undefined;
  /**
   * The embedder of a registered model, by its id. The first text loads the model; while that fails,
   * `embed` rejects with `EmbedderUnavailable`.
   */
  of(id: string): Embedder | undefined;
  /** Loads a model. Rejects with the reason if that fails, such as missing files. */
  load(id: string): Promise<void>;
  /**
   * Embeds a short text within a time limit. Rejects as `load` does, with `EmbedderUnavailable`, or with `WrongDimension`.
   */
  probe(id: string): Promise<void>;
  /** Why a model did not answer its last call; undefined if it did, or was not called yet. */
  failure(id: string): ModelFailure | undefined;
  /** Closes the embedders of all other models; they are loaded again when needed. */
  keepOnly(ids: ReadonlySet<string>): Promise<void>;
  close(): Promise<void>;
}

/** The model cannot answer now (endpoint down, overloaded, timed out): retry later. */
export class EmbedderUnavailable extends Error {
  override readonly name: string = 'EmbedderUnavailable';
}

/** The budget of a tenant, or of a space, does not allow these texts. Other tenants are not affected. */
export class EmbeddingBudgetExhausted extends EmbedderUnavailable {
  override readonly name = 'EmbeddingBudgetExhausted';

  /** The spaces of the texts. The budget that is used up may be that of one of them. */
  readonly spaces: readonly string[];

  constructor(tenant: string, spaces: readonly string[] = []) {
    super(`the budget of ${tenant}, or of a space, does not allow more texts for an embedding endpoint`);
    this.spaces = spaces;
  }
}

/** The model returns vectors of a dimension other than registered, so it must be another model. */
export class WrongDimension extends EmbedderUnavailable {
  override readonly name = 'WrongDimension';
}

/** The model does not embed this text, although it embeds others. */
export class TextRefused extends Error {
  override readonly name = 'TextRefused';
  /** For each text of the call its vector, or why it has none. Undefined if not all of them were tried. */
  readonly outcomes: readonly Outcome[] | undefined;

  constructor(message: string, outcomes?: readonly Outcome[]) {
    super(message);
    this.outcomes = outcomes;
  }
}

export type Outcome = Float32Array | TextRefused;

/** The vector of a text; undefined if the model does not embed it. */
export function vectorIn(outcome: Outcome | undefined): Float32Array | undefined {
  return outcome instanceof Float32Array ? outcome : undefined;
}

/** Like `embed`, but the texts that the model refuses do not keep the others from having their vectors. */
export async function embedEach(
  embedder: Embedder,
  ...[texts, purpose, tenant, spaces]: Parameters<Embedder['embed']>
): Promise<readonly Outcome[]> {
  try {
    return await embedder.embed(texts, purpose, tenant, spaces);
  } catch (error) {
    if (!(error instanceof TextRefused)) throw error;
    if (error.outcomes) return error.outcomes;
    if (texts.length === 1) return [error];
  }
  const outcomes: Outcome[] = [];
  for (const text of texts) outcomes.push(...(await embedEach(embedder, [text], purpose, tenant, spaces)));
  return outcomes;
}

/** Whether a query must be answered by its words only, because it cannot be embedded. */
export function isWithoutVector(error: unknown): boolean {
  return error instanceof EmbedderUnavailable || error instanceof TextRefused;
}
