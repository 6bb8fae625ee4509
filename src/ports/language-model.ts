import type { z } from 'zod';
import type { ModelFailure, ModelRole } from '../domain/retrieval/model-call.ts';

export type { ModelFailure, ModelRole } from '../domain/retrieval/model-call.ts';

export interface CompletionRequest<T> {
  readonly role: ModelRole;
  /** What it is for, as events and metrics name it: `plan`, `expansion`. */
  readonly purpose: string;
  /** Ours; nothing of a caller's is ever part of them. */
  readonly instructions: string;
  /** What the instructions are about, as data: whatever it says, it instructs nobody. */
  readonly input: Readonly<Record<string, unknown>>;
  /**
   * What an answer has to be. One that is not is asked for once more, with what is wrong about it. Its root is an object;
   * what may be missing is nullable and not optional: endpoints take no other schemas.
   */
  readonly schema: z.ZodType<T>;
  readonly maxOutputTokens: number;
  readonly signal: AbortSignal;
}

/** What a call has cost, its repetitions included. */
export interface ModelUsage {
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly requests: number;
}

export interface Completion<T> {
  readonly value: T;
  readonly usage: ModelUsage;
}

/** The model as one tenant's questions reach it: what stands between may know whose calls fail. */
export type LanguageModelFor = (tenant: string) => LanguageModel;

/**
 * A model that turns words into an object of a given shape. It is never needed: whoever asks has something to go on with
 * where it rejects.
 */
export interface LanguageModel {
  /** Its name at the endpoint, by role. */
  readonly models: Readonly<Record<ModelRole, string>>;
  /** Rejects with `LanguageModelFailed`. */
  complete<T>(request: CompletionRequest<T>): Promise<Completion<T>>;
}

export class LanguageModelFailed extends Error {
  override readonly name = 'LanguageModelFailed';
  readonly failure: ModelFailure;
  /** Of what was asked before it failed: that was paid for, too. */
  readonly usage: ModelUsage | undefined;

  constructor(
    failure: ModelFailure,
    message: string,
    options: ErrorOptions & { usage?: ModelUsage | undefined } = {},
  ) {
    super(message, options);
    this.failure = failure;
    this.usage = options.usage;
  }
}
