import type { ModelCallOutcome } from '../domain/retrieval/model-call.ts';
import {
  LanguageModelFailed,
  type CompletionRequest,
  type LanguageModel,
  type ModelRole,
  type ModelUsage,
} from '../ports/language-model.ts';

/** One call with its outcome. */
export interface ModelCall {
  readonly role: ModelRole;
  readonly purpose: string;
  readonly outcome: ModelCallOutcome;
  readonly usage: ModelUsage;
  readonly durationMs: number;
}

/** Wraps a model so that `onCall` is called after each call, before its promise settles. */
export function observed(model: LanguageModel, onCall: (call: ModelCall) => void): LanguageModel {
  return {
    models: model.models,
    thoughtTokens: model.thoughtTokens,
    async complete<T>(request: CompletionRequest<T>) {
      const { role, purpose, model: name = model.models[request.role] } = request;
      const started = performance.now();
      const report = (outcome: ModelCallOutcome, usage: ModelUsage | undefined) =>
        onCall({
          role,
          purpose,
          outcome,
          usage: usage ?? { model: name, inputTokens: 0, outputTokens: 0, requests: 0 },
          durationMs: performance.now() - started,
        });
      try {
        const completion = await model.complete(request);
        report('answered', completion.usage);
        return completion;
      } catch (error) {
        if (error instanceof LanguageModelFailed) report(error.failure, error.usage);
        throw error;
      }
    },
  };
}
