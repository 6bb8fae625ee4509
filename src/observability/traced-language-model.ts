import { SpanKind } from '@opentelemetry/api';
import type { CompletionRequest, LanguageModel } from '../ports/language-model.ts';
import { inPartialSpan } from '../support/tracing.ts';

/** A language model with a span for each call, after the conventions for generative AI: model, purpose and tokens, not the texts. */
export function tracedLanguageModel(model: LanguageModel): LanguageModel {
  return {
    models: model.models,
    thoughtTokens: model.thoughtTokens,
    complete<T>(request: CompletionRequest<T>) {
      const { role, purpose, model: name = model.models[role] } = request;
      const what = {
        name: `chat ${name}`,
        kind: SpanKind.CLIENT,
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.request.model': name,
          'stratalog.language_model.purpose': purpose,
        },
      };
      return inPartialSpan(what, async (span) => {
        const completion = await model.complete(request);
        span?.setAttribute('gen_ai.usage.input_tokens', completion.usage.inputTokens);
        span?.setAttribute('gen_ai.usage.output_tokens', completion.usage.outputTokens);
        return completion;
      });
    },
  };
}
