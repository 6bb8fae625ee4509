import { APIError, type OpenAI } from 'openai';
import {
  EmbedderUnavailable,
  TextRefused,
  WrongDimension,
  type EmbeddingPurpose,
} from '../../ports/embedder.ts';
import { estimateTokens } from '../../domain/text/estimate-tokens.ts';
import type { Slot, SlotResult } from '../embedding/pool.ts';
import { unitVector } from '../embedding/vector.ts';
import { reasonOf } from './model-failure.ts';
import { BrokenAnswer, withRetries, type RetryLimits } from './retries.ts';

export interface Endpoint {
  readonly client: OpenAI;
  readonly model: string;
  /** Expected dimension of the vectors; undefined accepts any. */
  readonly dimension: number | undefined;
  readonly limits: Readonly<Record<EmbeddingPurpose, RetryLimits>>;
}

/** Sends one request at a time to the endpoint. */
export class EndpointSlot implements Slot {
  readonly serves: Slot['serves'];
  readonly #endpoint: Endpoint;
  readonly #closing = new AbortController();

  constructor(endpoint: Endpoint, serves: Slot['serves']) {
    this.#endpoint = endpoint;
    this.serves = serves;
  }

  ready(): Promise<void> {
    return Promise.resolve();
  }

  /**
   * Rejects with `EmbedderUnavailable`. A refused batch is halved until the refused texts are found, because its other texts
   * may belong to other callers.
   */
  async run(texts: readonly string[], purpose: EmbeddingPurpose): Promise<SlotResult> {
    try {
      return await withRetries(this.#endpoint.limits[purpose], this.#closing.signal, (signal) =>
        this.#request(texts, signal),
      );
    } catch (error) {
      if (this.#closing.signal.aborted) throw new EmbedderUnavailable('the embedder is closed');
      if (!isRefusal(error)) throw unavailable(error, this.#endpoint);
      if (texts.length === 1)
        return { vectors: [new TextRefused(describe(error, this.#endpoint))], tokens: 0 };
      const half = Math.ceil(texts.length / 2);
      const first = await this.run(texts.slice(0, half), purpose);
      const rest = await this.run(texts.slice(half), purpose);
      return { vectors: [...first.vectors, ...rest.vectors], tokens: first.tokens + rest.tokens };
    }
  }

  close(): Promise<void> {
    this.#closing.abort();
    return Promise.resolve();
  }

  async #request(texts: readonly string[], signal: AbortSignal): Promise<SlotResult> {
    const { client, model, dimension } = this.#endpoint;
    const body = { model, input: [...texts], encoding_format: 'float' as const };
    const answer: unknown = await client.embeddings.create(body, { signal });
    return { vectors: vectorsOf(answer, texts.length, dimension), tokens: tokensOf(answer, texts) };
  }
}

/** The unit vectors of an answer in the order of the texts; endpoints may return them in another order. */
function vectorsOf(answer: unknown, count: number, dimension: number | undefined): Float32Array[] {
  const data = isRecord(answer) ? answer['data'] : undefined;
  if (!Array.isArray(data)) throw new BrokenAnswer('no list of embeddings');
  if (data.length !== count) throw new BrokenAnswer(`${data.length} embeddings for ${count} texts`);
  const vectors = new Map<unknown, Float32Array>();
  for (const [place, item] of (data as unknown[]).entries()) {
    if (!isRecord(item)) throw new BrokenAnswer('an embedding is not an object');
    vectors.set(item['index'] ?? place, vectorOf(item['embedding'], dimension));
  }
  return Array.from({ length: count }, (_, index) => {
    const vector = vectors.get(index);
    if (vector === undefined) throw new BrokenAnswer(`no embedding with index ${index}`);
    return vector;
  });
}

/** Tokens as counted by the endpoint, or an estimate if it does not count them. */
function tokensOf(answer: unknown, texts: readonly string[]): number {
  const usage = isRecord(answer) ? answer['usage'] : undefined;
  const counted = isRecord(usage) ? usage['prompt_tokens'] : undefined;
  if (typeof counted === 'number' && counted >= 0) return counted;
  return texts.reduce((sum, text) => sum + estimateTokens(text.length), 0);
}

function vectorOf(embedding: unknown, dimension: number | undefined): Float32Array {
  if (!Array.isArray(embedding) || !embedding.every((value) => typeof value === 'number')) {
    throw new BrokenAnswer('an embedding is not a list of numbers');
  }
  if (dimension !== undefined && embedding.length !== dimension) {
    throw new WrongDimension(`answers ${embedding.length} dimensions instead of ${dimension}`);
  }
  try {
    return unitVector(embedding);
  } catch (error) {
    throw new BrokenAnswer('an embedding without a direction', { cause: error });
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isRefusal(error: unknown): boolean {
  return error instanceof APIError && [400, 413, 422].includes(Number(error.status));
}

function unavailable(error: unknown, endpoint: Endpoint): EmbedderUnavailable {
  const message = describe(error, endpoint);
  return error instanceof WrongDimension ? new WrongDimension(message) : new EmbedderUnavailable(message);
}

/** Leaves out the endpoint's message and sets no cause with it, because it may quote the key or a text. */
function describe(error: unknown, { client, model }: Endpoint): string {
  const { origin, pathname } = new URL(client.baseURL);
  return `the embedding model ${model} at ${origin}${pathname} ${detailOf(error)}`;
}

function detailOf(error: unknown): string {
  if (error instanceof BrokenAnswer) return `answered ${error.message}`;
  if (error instanceof WrongDimension) return error.message;
  return reasonOf(error)?.detail ?? `failed: ${error instanceof Error ? error.message : String(error)}`;
}
