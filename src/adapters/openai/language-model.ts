import { APIError, type OpenAI } from 'openai';
import {
  LanguageModelFailed,
  type Completion,
  type CompletionRequest,
  type LanguageModel,
  type ModelFailure,
  type ModelRole,
} from '../../ports/language-model.ts';
import { jsonIn, readChatAnswer, type ChatAnswer } from './chat-answer.ts';
import { chatRequest, type Mode, type Rejected } from './chat-request.ts';
import { openAiClient, type EndpointAddress } from './client.ts';
import { failureOf, isRefusal } from './model-failure.ts';
import { withRetries, type RetryLimits } from './retries.ts';
import { UsageTally } from './usage-tally.ts';

export interface OpenAiLanguageModelOptions extends EndpointAddress {
  /** The endpoint's name of the model for each role. */
  readonly models: Readonly<Record<ModelRole, string>>;
  readonly limits?: Partial<RetryLimits>;
}

/** Callers limit the time by their signal; these limits apply otherwise. */
const defaultLimits: RetryLimits = { attempts: 3, deadlineMs: 60_000, requestMs: 30_000, firstDelayMs: 250 };

/** Maximum number of validation errors that are sent back to the model. */
const mostComplaints = 8;

/**
 * A language model behind any OpenAI-compatible `/chat/completions` endpoint. The shape of the answer is specified by
 * `response_format`; if the endpoint rejects that, by an instruction in the prompt from then on. An answer of the wrong shape is
 * requested once more. Transient errors (429, 5xx, connections) are retried, all within the signal of the request.
 */
export class OpenAiLanguageModel implements LanguageModel {
  readonly models: Readonly<Record<ModelRole, string>>;
  readonly #client: OpenAI;
  readonly #limits: RetryLimits;
  readonly #host: string;
  /** Pairs of model and purpose for which the endpoint does not accept `response_format`. Each purpose has one schema. */
  readonly #onlyWords = new Set<string>();

  constructor(options: OpenAiLanguageModelOptions) {
    this.models = options.models;
    this.#client = openAiClient(options);
    this.#limits = { ...defaultLimits, ...options.limits };
    // Only the host, because the URL may contain credentials.
    this.#host = new URL(options.baseURL).host;
  }

  async complete<T>(request: CompletionRequest<T>): Promise<Completion<T>> {
    const tally = new UsageTally(request.model ?? this.models[request.role]);
    const first = readValue(await this.#ask(request, tally), request);
    if ('value' in first) return { value: first.value, usage: tally.usage };
    const second = readValue(await this.#ask(request, tally, first), request);
    if ('value' in second) return { value: second.value, usage: tally.usage };
    throw this.#failed('invalid-answer', 'answered twice what is not of the shape asked for', tally);
  }

  /** One answer of the model, in the mode that the endpoint supports. Rejects with `LanguageModelFailed`. */
  async #ask(
    request: CompletionRequest<unknown>,
    tally: UsageTally,
    rejected?: Rejected,
  ): Promise<ChatAnswer> {
    const key = `${tally.model} ${request.purpose}`;
    const ask = async (mode: Mode) => {
      const body = chatRequest(tally.model, request, mode, rejected);
      return withRetries(this.#limits, request.signal, (signal) => this.#send(body, signal, tally));
    };
    const askInWords = async () => {
      const answer = await ask('words');
      this.#onlyWords.add(key);
      return answer;
    };
    let answer: ChatAnswer;
    try {
      answer = this.#onlyWords.has(key)
        ? await ask('words')
        : await ask('schema').catch((error: unknown) => {
            if (error instanceof APIError && isRefusal(error.status)) return askInWords();
            throw error;
          });
    } catch (error) {
      throw failureOf(error, this.#nameOf(tally), tally.usage);
    }
    if (answer.ending === 'refused') throw this.#failed('refused', 'will not answer', tally);
    return answer;
  }

  async #send(
    body: OpenAI.ChatCompletionCreateParamsNonStreaming,
    signal: AbortSignal,
    tally: UsageTally,
  ): Promise<ChatAnswer> {
    tally.requested();
    try {
      const answer = readChatAnswer(await this.#client.chat.completions.create(body, { signal }));
      tally.answered(body.messages, answer);
      return answer;
    } catch (error) {
      if (signal.aborted) tally.abandoned(body.messages);
      throw error;
    }
  }

  #failed(failure: ModelFailure, detail: string, tally: UsageTally): LanguageModelFailed {
    return new LanguageModelFailed(failure, `${this.#nameOf(tally)} ${detail}`, { usage: tally.usage });
  }

  #nameOf({ model }: UsageTally): string {
    return `the language model ${model} at ${this.#host}`;
  }
}

/** The requested value, or a description of what is wrong with the answer, written for the model. */
function readValue<T>(
  { text, ending }: ChatAnswer,
  { schema, maxOutputTokens }: CompletionRequest<T>,
): { readonly value: T } | Rejected {
  if (ending === 'cut') return { text, complaint: `it is longer than ${maxOutputTokens} tokens: be brief` };
  const json = jsonIn(text);
  if (json === undefined) return { text, complaint: 'it is not JSON' };
  const { data, error } = schema.safeParse(json);
  if (error === undefined) return { value: data };
  const complaints = error.issues
    .slice(0, mostComplaints)
    .map(({ path, message }) => `${path.join('.') || 'the object'}: ${message}`);
  return { text, complaint: complaints.join('; ') };
}
