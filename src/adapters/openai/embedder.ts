import {
  cachedQueries,
  EmbedderUnavailable,
  longestEndpointText,
  type Embedder,
  type EmbeddingPurpose,
  type OnEmbeddingRun,
} from '../../ports/embedder.ts';
import { EmbeddingPool } from '../embedding/pool.ts';
import { pooledEmbedder } from '../embedding/pooled-embedder.ts';
import { truncate } from '../../domain/text/truncate.ts';
import { openAiClient, type EndpointAddress } from './client.ts';
import { EndpointSlot, type Endpoint } from './endpoint-slot.ts';
import { RateGate } from './rate-gate.ts';
import type { RetryLimits } from './retries.ts';

export interface OpenAiEmbedderOptions extends EndpointAddress {
  readonly model: string;
  /** Identifies the model and its weights; `openAiModelId` by default, the endpoint's name for the model with the dimension. */
  readonly id?: string;
  /** Prefix of a text by the purpose of its vector; none by default, since most endpoints add it themselves. */
  readonly prefix?: Readonly<Record<EmbeddingPurpose, string>>;
  /** Numbers in a vector. By default the endpoint is asked for it; an answer with another dimension is an error. */
  readonly dimension?: number;
  /** Maximum number of texts in one request, 64 by default. */
  readonly batch?: number;
  /** Maximum number of concurrent requests with passages, 4 by default; one more is reserved for queries. */
  readonly concurrency?: number;
  /** Longer texts are cut, in UTF-16 units; 8,000 by default. */
  readonly longestText?: number;
  readonly limits?: Partial<Readonly<Record<EmbeddingPurpose, Partial<RetryLimits>>>>;
  readonly onRun?: OnEmbeddingRun | undefined;
}

/** A query gives up soon, because a search can continue without a vector; indexing can wait. */
const defaultLimits: Readonly<Record<EmbeddingPurpose, RetryLimits>> = {
  query: { attempts: 2, deadlineMs: 5_000, requestMs: 5_000, firstDelayMs: 250 },
  passage: { attempts: 5, deadlineMs: 60_000, requestMs: 20_000, firstDelayMs: 250 },
};

/**
 * An embedder for any OpenAI-compatible `/embeddings` endpoint. Waiting texts are sent in one request; the endpoint must embed
 * each of them independently. Rejects with `EmbedderUnavailable` if the endpoint does not answer the request for the dimension.
 * `embed` rejects with `TextRefused` for a text that the endpoint does not embed, although it embeds others. A text that is longer than the
 * endpoint accepts is cut.
 */
export async function openOpenAiEmbedder(options: OpenAiEmbedderOptions): Promise<Embedder> {
  const endpoint = endpointOf(options);
  const dimension = options.dimension ?? (await probeDimension(endpoint));
  const { batch = 64, concurrency = 4, longestText = longestEndpointText, prefix } = options;
  const lanes = ['query', ...Array.from({ length: concurrency }, () => 'all' as const)] as const;
  const slots = lanes.map((serves) => new EndpointSlot({ ...endpoint, dimension }, serves));
  const id = options.id ?? openAiModelId(options.model, dimension);
  const embedder = pooledEmbedder(
    { id, dimension },
    new EmbeddingPool(slots, {
      batch,
      attempts: 1,
      onRun: (run) => options.onRun?.({ model: id, ...run }),
    }),
    { window: batch * concurrency, cachedQueries },
  );
  return {
    ...embedder,
    embed: (texts, purpose) =>
      embedder.embed(
        texts.map((text) => acceptable((prefix?.[purpose] ?? '') + text, longestText)),
        purpose,
      ),
  };
}

/** The endpoint's name for a model, with the dimension of its vectors. */
export function openAiModelId(model: string, dimension: number): string {
  return `openai:${model}:${dimension}`;
}

/** The dimension in an id made by `openAiModelId`; undefined if it belongs to another model. */
export function dimensionIn(id: string, model: string): number | undefined {
  const prefix = `openai:${model}:`;
  const dimension = Number(id.slice(prefix.length));
  return id.startsWith(prefix) && Number.isInteger(dimension) ? dimension : undefined;
}

function endpointOf(options: OpenAiEmbedderOptions): Endpoint {
  const limitsOf = (purpose: EmbeddingPurpose) => ({
    ...defaultLimits[purpose],
    ...options.limits?.[purpose],
  });
  return {
    client: openAiClient(options),
    model: options.model,
    dimension: options.dimension,
    limits: { query: limitsOf('query'), passage: limitsOf('passage') },
    gate: new RateGate(),
  };
}

async function probeDimension(endpoint: Endpoint): Promise<number> {
  const { vectors } = await new EndpointSlot(endpoint, 'all').run(['dimension'], 'query');
  const [vector] = vectors;
  if (vector instanceof Float32Array) return vector.length;
  throw new EmbedderUnavailable(vector?.message ?? 'no vector for the probe');
}

/** Truncates the text, replaces lone surrogates, which UTF-8 cannot encode, and replaces blank texts, which endpoints reject. */
function acceptable(text: string, longest: number): string {
  const cut = truncate(text, longest).replaceAll(/\p{Surrogate}/gu, '\ufffd');
  return cut.trim() === '' ? '-' : cut;
}
