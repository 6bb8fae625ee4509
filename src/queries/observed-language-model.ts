import { SpanKind } from '@opentelemetry/api';
import type { ModelCallOutcome } from '../domain/retrieval/model-call.ts';
import {
  LanguageModelFailed,
  type CompletionRequest,
  type LanguageModel,
  type ModelRole,
  type ModelUsage,
} from '../ports/language-model.ts';
import { inPartialSpan } from '../support/tracing.ts';

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
      const what = {
        name: `chat ${name}`,
        kind: SpanKind.CLIENT,
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.request.model': name,
          'stratalog.language_model.purpose': purpose,
        },
      };
      const report = (outcome: ModelCallOutcome, usage: ModelUsage | undefined) =>
        onCall({
          role,
          purpose,
          outcome,
          usage: usage ?? { model: name, inputTokens: 0, outputTokens: 0, requests: 0 },
          durationMs: performance.now() - started,
        });
      try {
        const completion = await inPartialSpan(what, async (span) => {
          const answered = await model.complete(request);
          const { inputTokens, outputTokens } = answered.usage;
          span?.setAttribute('gen_ai.usage.input_tokens', inputTokens);
          span?.setAttribute('gen_ai.usage.output_tokens', outputTokens);
          return answered;
        });
        report('answered', completion.usage);
        return completion;
      } catch (error) {
        if (error instanceof LanguageModelFailed) report(error.failure, error.usage);
        throw error;
      }
    },
  };
}
