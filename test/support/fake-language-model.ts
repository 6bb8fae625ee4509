import {
  LanguageModelFailed,
  type Completion,
  type CompletionRequest,
  type LanguageModel,
  type ModelFailure,
} from '../../src/ports/language-model.ts';

/** The answer to one request: an object, a failure, or none until the request is aborted. */
export type FakeAnswer = Record<string, unknown> | ModelFailure | 'silence';

export interface FakeLanguageModel extends LanguageModel {
  readonly requests: CompletionRequest<unknown>[];
  answers: FakeAnswer | ((request: CompletionRequest<unknown>) => FakeAnswer);
  /** Token usage that it reports for each request. */
  tokens: { readonly inputTokens: number; readonly outputTokens: number };
}

/** A language model in this process with scripted answers, which are validated as in a real adapter. */
export function fakeLanguageModel(answers: FakeLanguageModel['answers']): FakeLanguageModel {
  const models = { root: 'large', sub: 'small' };
  const fake: FakeLanguageModel = {
    models,
    thoughtTokens: 0,
    requests: [],
    answers,
    tokens: { inputTokens: 100, outputTokens: 20 },
    async complete<T>(request: CompletionRequest<T>): Promise<Completion<T>> {
      fake.requests.push(request);
      const usage = { model: models[request.role], requests: 1, ...fake.tokens };
      const answer = typeof fake.answers === 'function' ? fake.answers(request) : fake.answers;
      if (answer === 'silence') await whenAborted(request.signal);
      if (typeof answer === 'string')
        throw new LanguageModelFailed(answer === 'silence' ? 'timed-out' : answer, answer, { usage });
      const { data, success } = request.schema.safeParse(answer);
      if (!success) throw new LanguageModelFailed('invalid-answer', 'not of the shape', { usage });
      return { value: data, usage };
    },
  };
  return fake;
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
