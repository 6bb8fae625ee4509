import { Client } from '@opensearch-project/opensearch';
import { LexicalIndexUnavailable } from '../../ports/lexical-index.ts';
import { retry } from '../../support/resilience/retry.ts';
import { translate } from './errors.ts';

export interface ConnectionOptions {
  /** One or several nodes of one cluster, `http://…` or `https://…`. */
  readonly url: string | readonly string[];
  readonly auth?: { readonly username: string; readonly password: string };
  readonly tls?: {
    /** The authorities to trust, in PEM; those of Node.js by default. */
    readonly ca?: string;
    /** `false` accepts any certificate: an attacker in between can then read and change everything. */
    readonly rejectUnauthorized?: boolean;
  };
  /** Time limit of one request. */
  readonly answerTimeoutMs?: number;
  /** How long changes of the index are retried while no node accepts them. */
  readonly writePatienceMs?: number;
  /** How long reads are retried; shorter, because a caller waits for them. */
  readonly readPatienceMs?: number;
}

const backoff = { firstMs: 50, longestMs: 2_000, jitter: 0.25 };

/** The client with retries for unavailable nodes. The client's own retries give up long before a node has restarted. */
export class Connection {
  readonly #client: Client;
  readonly #writePatienceMs: number;
  readonly #readPatienceMs: number;
  readonly #closing = new AbortController();
  readonly #inFlight = new Set<Promise<unknown>>();
  #closed: Promise<void> | undefined;

  constructor(options: ConnectionOptions) {
    const { url, auth, tls, answerTimeoutMs = 10_000 } = options;
    this.#writePatienceMs = options.writePatienceMs ?? 30_000;
    this.#readPatienceMs = options.readPatienceMs ?? 2_000;
    this.#client = new Client({
      nodes: typeof url === 'string' ? url : [...url],
      maxRetries: 0,
      requestTimeout: answerTimeoutMs,
      ...(auth && { auth: { ...auth } }),
      ...(tls && { ssl: { ...tls } }),
    });
  }

  /** `work` must be safe to repeat, also if an earlier attempt succeeded but its answer was lost. */
  change<T>(work: (client: Client) => Promise<T>): Promise<T> {
    return this.#repeat(this.#writePatienceMs, work);
  }

  read<T>(work: (client: Client) => Promise<T>): Promise<T> {
    return this.#repeat(this.#readPatienceMs, work);
  }

  /** Runs `work` without retries. */
  ask<T>(work: (client: Client) => Promise<T>): Promise<T> {
    return this.#repeat(0, work);
  }

  /** Resolves when the requests in flight have ended. Calls that wait for a retry are rejected. */
  close(): Promise<void> {
    this.#closing.abort();
    this.#closed ??= Promise.allSettled(this.#inFlight).then(() => this.#client.close());
    return this.#closed;
  }

  #repeat<T>(patienceMs: number, work: (client: Client) => Promise<T>): Promise<T> {
    return retry(() => this.#attempt(work), {
      ...backoff,
      deadlineMs: patienceMs,
      signal: this.#closing.signal,
      isRetryable: (error) => error instanceof LexicalIndexUnavailable,
    });
  }

  async #attempt<T>(work: (client: Client) => Promise<T>): Promise<T> {
    if (this.#closing.signal.aborted) throw new LexicalIndexUnavailable('the lexical index was closed');
    const flight = work(this.#client);
    this.#inFlight.add(flight);
    try {
      return await flight;
    } catch (error) {
      throw translate(error);
    } finally {
      this.#inFlight.delete(flight);
    }
  }
}
