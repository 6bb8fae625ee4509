import type { z } from 'zod';
import type { ModelFailure, ModelRole } from '../domain/retrieval/model-call.ts';

export type { ModelFailure, ModelRole } from '../domain/retrieval/model-call.ts';

export interface CompletionRequest<T> {
  readonly role: ModelRole;
  /** The endpoint's name of the model; that of the role by default. */
  readonly model?: string;
  /** Purpose, as named in events and metrics: `plan`, `expansion`, `summary`. */
  readonly purpose: string;
  /** Written by this program; they never contain text of a caller. */
  readonly instructions: string;
  /** The data that the instructions refer to. The model must not follow instructions in it. */
  readonly input: Readonly<Record<string, unknown>>;
  /**
   * Schema of the answer. An answer that does not match is requested once more, with a description of its errors. The root must
   * be an object, and fields must be nullable instead of optional: endpoints accept no other schemas.
   */
  readonly schema: z.ZodType<T>;
  /** Limit of the answer. */
  readonly maxOutputTokens: number;
  /** Tokens by which the limit is raised for a model that thinks before it answers: 0 by default. A call may use twice the sum of both. */
  readonly thoughtTokens?: number;
  readonly signal: AbortSignal;
}

/** Cost of a call, including retries. */
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

/** The model for the questions of one tenant, so that a decorator can treat tenants separately. */
export type LanguageModelFor = (tenant: string) => LanguageModel;

/**
 * A model that answers with an object of a given schema. It is optional: every caller has a fallback for a rejection.
 */
export interface LanguageModel {
  /** The endpoint's name of the model for each role. */
  readonly models: Readonly<Record<ModelRole, string>>;
  /** Tokens for thoughts that a call should have where the budget allows them. */
  readonly thoughtTokens: number;
  /** Rejects with `LanguageModelFailed`. */
  complete<T>(request: CompletionRequest<T>): Promise<Completion<T>>;
}

export class LanguageModelFailed extends Error {
  override readonly name = 'LanguageModelFailed';
  readonly failure: ModelFailure;
  /** Usage before the failure, which is paid for too. */
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
