import type { ModelCallOutcome } from '../domain/retrieval/model-call.ts';
import {
  LanguageModelFailed,
  type CompletionRequest,
  type LanguageModel,
  type ModelRole,
  type ModelUsage,
} from '../ports/language-model.ts';

/** One call and what became of it. */
export interface ModelCall {
  readonly role: ModelRole;
  readonly purpose: string;
  readonly outcome: ModelCallOutcome;
  readonly usage: ModelUsage;
  readonly durationMs: number;
}

/** The same model; `onCall` is told of each call when it is over, before whoever asked is. */
export function observed(model: LanguageModel, onCall: (call: ModelCall) => void): LanguageModel {
  return {
    models: model.models,
    async complete<T>(request: CompletionRequest<T>) {
      const { role, purpose } = request;
      const started = performance.now();
      const tell = (outcome: ModelCallOutcome, usage: ModelUsage | undefined) =>
        onCall({
          role,
          purpose,
          outcome,
          usage: usage ?? { model: model.models[role], inputTokens: 0, outputTokens: 0, requests: 0 },
          durationMs: performance.now() - started,
        });
      try {
        const completion = await model.complete(request);
        tell('answered', completion.usage);
        return completion;
      } catch (error) {
        if (error instanceof LanguageModelFailed) tell(error.failure, error.usage);
        throw error;
      }
    },
  };
}
