import { randomUUID } from 'node:crypto';
import type { OpenAI } from 'openai';
import {
  EmbedderUnavailable,
  TextRefused,
  WrongDimension,
  type EmbeddingPurpose,
} from '../../ports/embedder.ts';
import { truncate } from '../../domain/text/truncate.ts';
import type { Slot, SlotResult } from '../embedding/pool.ts';
import { withTimeLimit } from '../../support/resilience/time-limit.ts';
import { tokensOf, vectorsOf } from './embeddings-answer.ts';
import { reasonOf } from './model-failure.ts';
import { mayBeDueToText, NotEmbedded, refusalBy } from './not-embedded.ts';
import type { RateGate } from './rate-gate.ts';
import { BrokenAnswer, withRetries, type RetryLimits } from './retries.ts';

export interface Endpoint {
  readonly client: OpenAI;
  readonly model: string;
  /** Expected dimension of the vectors; undefined accepts any. */
  readonly dimension: number | undefined;
  readonly limits: Readonly<Record<EmbeddingPurpose, RetryLimits>>;
  readonly gate: RateGate;
}

/** Requests before a failure may be due to the texts: for a text alone, and for several together. */
const triesAlone = 3;
const triesTogether = 2;
/** Time limit of the request that tells whether the endpoint embeds anything. */
const probeMs = 5_000;
/** A text is not cut to less, in UTF-16 units. */
const shortestCut = 16;
/** No endpoint has a lower limit: a longer text that is refused without a reason may be too long. In UTF-16 units. */
const shortestLimit = 400;

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
   * Rejects with `EmbedderUnavailable` if the endpoint does not answer. A batch that it does not embed while it embeds others is divided
   * until the texts in question are found, because the other texts may belong to other callers. A text that is too long for it is cut.
   */
  async run(texts: readonly string[], purpose: EmbeddingPurpose): Promise<SlotResult> {
    try {
      return await this.#embed(texts, purpose, { isSuspected: false });
    } catch (error) {
      if (this.#closing.signal.aborted) throw new EmbedderUnavailable('the embedder is closed');
      throw unavailable(error, this.#endpoint);
    }
  }

  close(): Promise<void> {
    this.#closing.abort();
    return Promise.resolve();
  }

  /** `isSuspected`: the endpoint has not embedded these texts before, although it embeds others. */
  async #embed(
    texts: readonly string[],
    purpose: EmbeddingPurpose,
    { isSuspected }: { readonly isSuspected: boolean },
  ): Promise<SlotResult> {
    try {
      return await this.#ask(texts, purpose, isSuspected);
    } catch (error) {
      if (!(error instanceof NotEmbedded)) throw error;
      if (texts.length === 1) return this.#embedCut(texts[0]!, purpose, error);
      return this.#embedHalves(texts, purpose, error);
    }
  }

  /** Asks with retries. Rejects with `NotEmbedded` once the texts, not the endpoint, must be the reason for a failure. */
  #ask(texts: readonly string[], purpose: EmbeddingPurpose, isSuspected: boolean): Promise<SlotResult> {
    const limits = this.#endpoint.limits[purpose];
    const isAlone = texts.length === 1;
    const tries = isAlone ? triesAlone : isSuspected ? 1 : triesTogether;
    let failures = 0;
    return withRetries(limits, this.#endpoint.gate, this.#closing.signal, async (signal) => {
      try {
        return await this.#request(texts, signal);
      } catch (error) {
        const reason = refusalBy(error);
        if (reason) throw new NotEmbedded(error, reason);
        if (this.#closing.signal.aborted || !mayBeDueToText(error)) throw error;
        const isPersistent =
          error instanceof WrongDimension || ++failures % Math.min(tries, limits.attempts) === 0;
        // Suspected texts have others beside them; only a text alone is given up.
        if (isPersistent && ((isSuspected && !isAlone) || (await this.#answers(limits))))
          throw new NotEmbedded(error, 'fails');
        throw error;
      }
    });
  }

  /** Whether the endpoint embeds another text just now. */
  async #answers({ requestMs }: RetryLimits): Promise<boolean> {
    // A new text each time, since a proxy may have cached the last one.
    const probe = (signal: AbortSignal) => this.#request([`a probe ${randomUUID()}`], signal);
    return withTimeLimit(Math.min(requestMs, probeMs), this.#closing.signal, probe).then(
      () => true,
      () => false,
    );
  }

  async #embedHalves(
    texts: readonly string[],
    purpose: EmbeddingPurpose,
    { reason }: NotEmbedded,
  ): Promise<SlotResult> {
    const order = texts.map((_, index) => index);
    // Long texts together: the half without them is taken at once.
    if (reason === 'too-long') order.sort((left, right) => texts[right]!.length - texts[left]!.length);
    const middle = Math.ceil(order.length / 2);
    const vectors: SlotResult['vectors'][number][] = [];
    let tokens = 0;
    for (const half of [order.slice(0, middle), order.slice(middle)]) {
      const own = half.map((index) => texts[index]!);
      const result = await this.#embed(own, purpose, { isSuspected: reason === 'fails' });
      for (const [at, index] of half.entries()) vectors[index] = result.vectors[at]!;
      tokens += result.tokens;
    }
    return { vectors, tokens };
  }

  /** Embeds the first half of a text that is too long, and less if that is too long too, as a local model cuts at its longest. */
  async #embedCut(
    text: string,
    purpose: EmbeddingPurpose,
    { error, reason }: NotEmbedded,
  ): Promise<SlotResult> {
    const cut = truncate(text, Math.ceil(text.length / 2)).trim();
    const isCuttable = reason === 'too-long' ? cut.length >= shortestCut : text.length > shortestLimit;
    if (reason !== 'fails' && isCuttable && cut !== '')
      return this.#embed([cut], purpose, { isSuspected: false });
    const message = `${describe(error, this.#endpoint)}: it does not embed this text`;
    return { vectors: [new TextRefused(message)], tokens: 0 };
  }

  async #request(texts: readonly string[], signal: AbortSignal): Promise<SlotResult> {
    const { client, model, dimension } = this.#endpoint;
    const body = { model, input: [...texts], encoding_format: 'float' as const };
    const answer: unknown = await client.embeddings.create(body, { signal });
    return { vectors: vectorsOf(answer, texts.length, dimension), tokens: tokensOf(answer, texts) };
  }
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
