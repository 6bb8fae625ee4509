import { APIError, type OpenAI } from 'openai';
import type { z } from 'zod';
import {
  LanguageModelFailed,
  type Completion,
  type CompletionRequest,
  type LanguageModel,
  type ModelFailure,
  type ModelRole,
} from '../../ports/language-model.ts';
import { readChatAnswer, type ChatAnswer } from './chat-answer.ts';
import { chatRequest, type Mode, type Rejected, type RequestOptions } from './chat-request.ts';
import { openAiClient, type EndpointAddress } from './client.ts';
import { failureOf, isRefusal } from './model-failure.ts';
import { RateGates } from './rate-gate.ts';
import { withRetries, type RetryLimits } from './retries.ts';
import { UsageTally } from './usage-tally.ts';
import { jsonCandidates, withoutThoughts } from './written-json.ts';

export interface OpenAiLanguageModelOptions extends EndpointAddress {
  /** The endpoint's name of the model for each role. */
  readonly models: Readonly<Record<ModelRole, string>>;
  /** Tokens for thoughts beside those of the answer, for a model that turns out to need them; 0 by default. */
  readonly thoughtTokens?: number;
  readonly limits?: Partial<RetryLimits>;
  /** Shared by all that use the endpoint; its own by default. */
  readonly gates?: RateGates;
}

/** Callers limit the time by their signal; these limits apply otherwise. */
const defaultLimits: RetryLimits = { attempts: 3, deadlineMs: 60_000, requestMs: 30_000, firstDelayMs: 250 };

/** Maximum number of validation errors that are sent back to the model. */
const mostComplaints = 8;

/**
 * A language model behind any OpenAI-compatible `/chat/completions` endpoint. The shape of the answer is specified by
 * `response_format`; if the endpoint rejects that, by an instruction in the prompt from then on. An answer of the wrong shape is
 * requested once more. So is one that a model had no tokens left for because it thinks before it answers: this time, and from then on, with room
 * for thoughts. Transient errors (429, 5xx, connections) are retried, all within the signal of the request.
 */
export class OpenAiLanguageModel implements LanguageModel {
  readonly models: Readonly<Record<ModelRole, string>>;
  readonly thoughtTokens: number;
  readonly #client: OpenAI;
  readonly #limits: RetryLimits;
  readonly #gates: RateGates;
  readonly #host: string;
  /** Pairs of model and purpose for which the endpoint does not accept `response_format`. Each purpose has one schema. */
  readonly #onlyWords = new Set<string>();
  /** Models that used up the limit of an answer before they wrote any of it. */
  readonly #thinking = new Set<string>();

  constructor(options: OpenAiLanguageModelOptions) {
    this.models = options.models;
    this.thoughtTokens = options.thoughtTokens ?? 0;
    this.#client = openAiClient(options);
    this.#gates = options.gates ?? new RateGates();
    this.#limits = { ...defaultLimits, ...options.limits };
    // Only the host, because the URL may contain credentials.
    this.#host = new URL(options.baseURL).host;
  }

  async complete<T>(request: CompletionRequest<T>): Promise<Completion<T>> {
    const tally = new UsageTally(request.model ?? this.models[request.role]);
    const first = await this.#attempt(request, tally);
    if ('value' in first) return { value: first.value, usage: tally.usage };
    const second = await this.#attempt(request, tally, first);
    if ('value' in second) return { value: second.value, usage: tally.usage };
    throw this.#failed('invalid-answer', second.failure, tally);
  }

  /** The value of one answer, or what to do about one without. */
  async #attempt<T>(
    request: CompletionRequest<T>,
    tally: UsageTally,
    before?: Unusable,
  ): Promise<{ readonly value: T } | Unusable> {
    const { maxOutputTokens, thoughtTokens = 0 } = request;
    const maxTokens = maxOutputTokens + (this.#thinking.has(tally.model) ? thoughtTokens : 0);
    const answer = await this.#ask(request, tally, { maxTokens, rejected: before?.rejected });
    if (isUsedUpByThoughts(answer)) {
      const failure = `used up its limit of ${maxTokens} tokens on thoughts: raise STRATALOG_LLM_THOUGHT_TOKENS, or have it think less`;
      this.#thinking.add(tally.model);
      // With the same limit it would end in the same way.
      if (before || maxTokens === maxOutputTokens + thoughtTokens)
        throw this.#failed('invalid-answer', failure, tally);
      return { failure };
    }
    const read = readValue(answer, request.schema, maxTokens);
    if ('value' in read) return read;
    return { failure: 'answered twice what is not of the shape asked for', rejected: read };
  }

  /** One answer of the model, in the mode that the endpoint supports. Rejects with `LanguageModelFailed`. */
  async #ask(
    request: CompletionRequest<unknown>,
    tally: UsageTally,
    options: Omit<RequestOptions, 'mode'>,
  ): Promise<ChatAnswer> {
    const key = `${tally.model} ${request.purpose}`;
    const gate = this.#gates.of(tally.model);
    const ask = async (mode: Mode) => {
      const body = chatRequest(tally.model, request, { ...options, mode });
      return withRetries(this.#limits, gate, request.signal, (signal) => this.#send(body, signal, tally));
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

/** Why an answer cannot be used, and what to tell the model so that it can correct it. */
interface Unusable {
  readonly failure: string;
  readonly rejected?: Rejected;
}

/** Whether the limit was reached because the model thought first: it shows its thoughts, or wrote nothing that begins an object. */
function isUsedUpByThoughts({ text, length, ending }: ChatAnswer): boolean {
  if (ending !== 'cut') return false;
  const answer = withoutThoughts(text);
  return answer.length < length || !answer.includes('{');
}

/** The requested value, or a description of what is wrong with the answer, written for the model. */
function readValue<T>(
  { text, ending }: ChatAnswer,
  schema: z.ZodType<T>,
  maxTokens: number,
): { readonly value: T } | Rejected {
  if (ending === 'cut') return { text, complaint: `it is longer than ${maxTokens} tokens: be brief` };
  const results = jsonCandidates(text).map((json) => schema.safeParse(json));
  const valid = results.find(({ success }) => success);
  if (valid?.success) return { value: valid.data };
  const [likely] = results;
  if (!likely?.error) return { text, complaint: 'it is not JSON' };
  const complaints = likely.error.issues
    .slice(0, mostComplaints)
    .map(({ path, message }) => `${path.join('.') || 'the object'}: ${message}`);
  return { text, complaint: complaints.join('; ') };
}
