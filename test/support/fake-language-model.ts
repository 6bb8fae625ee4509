import {
  LanguageModelFailed,
  type Completion,
  type CompletionRequest,
  type LanguageModel,
  type ModelFailure,
} from '../../src/ports/language-model.ts';

/** Answers one request: an object, a failure, or nothing until the request is given up. */
export type FakeAnswer = Record<string, unknown> | ModelFailure | 'silence';

export interface FakeLanguageModel extends LanguageModel {
  readonly requests: CompletionRequest<unknown>[];
  answers: FakeAnswer | ((request: CompletionRequest<unknown>) => FakeAnswer);
  /** What it says that each request took. */
  tokens: { readonly inputTokens: number; readonly outputTokens: number };
}

/** A language model in this process that answers as told; what it answers is validated as an adapter does. */
export function fakeLanguageModel(answers: FakeLanguageModel['answers']): FakeLanguageModel {
  const models = { root: 'large', sub: 'small' };
  const fake: FakeLanguageModel = {
    models,
    requests: [],
    answers,
    tokens: { inputTokens: 100, outputTokens: 20 },
    async complete<T>(request: CompletionRequest<T>): Promise<Completion<T>> {
      fake.requests.push(request);
      const usage = { model: models[request.role], requests: 1, ...fake.tokens };
      const answer = typeof fake.answers === 'function' ? fake.answers(request) : fake.answers;
      if (answer === 'silence') await givenUp(request.signal);
      if (typeof answer === 'string')
        throw new LanguageModelFailed(answer === 'silence' ? 'timed-out' : answer, answer, { usage });
      const { data, success } = request.schema.safeParse(answer);
      if (!success) throw new LanguageModelFailed('invalid-answer', 'not of the shape', { usage });
      return { value: data, usage };
    },
  };
  return fake;
}

function givenUp(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
