import { Client } from '@opensearch-project/opensearch';
import { LexicalIndexUnavailable } from '../../ports/lexical-index.ts';
import { pause } from '../../support/pause.ts';
import { translate } from './errors.ts';

export interface ConnectionOptions {
  /** One or several nodes of one cluster, `http://…` or `https://…`. */
  readonly url: string | readonly string[];
  readonly auth?: { readonly username: string; readonly password: string };
  readonly tls?: {
    /** The authorities to trust, in PEM; without it, those that Node trusts. */
    readonly ca?: string;
    /** `false` takes any certificate: who stands in between can read and change everything. */
    readonly rejectUnauthorized?: boolean;
  };
  /** How long the answer to one request is waited for. */
  readonly answerTimeoutMs?: number;
  /** How long whatever changes the index is repeated while no node takes it. */
  readonly writePatienceMs?: number;
  /** The same for reads, which somebody waits for. */
  readonly readPatienceMs?: number;
}

const firstDelayMs = 50;
const longestDelayMs = 2_000;

/** The client, and the patience with nodes that are away: its own retries are over long before one has restarted. */
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

  /** `work` must bear repetition, also where an earlier try was done without an answer. */
  change<T>(work: (client: Client) => Promise<T>): Promise<T> {
    return this.#repeat(this.#writePatienceMs, work);
  }

  read<T>(work: (client: Client) => Promise<T>): Promise<T> {
    return this.#repeat(this.#readPatienceMs, work);
  }

  /** Asks once. */
  ask<T>(work: (client: Client) => Promise<T>): Promise<T> {
    return this.#repeat(0, work);
  }

  /** Resolves when what is in flight has its answer; what waits to be repeated is given up. */
  close(): Promise<void> {
    this.#closing.abort();
    this.#closed ??= Promise.allSettled(this.#inFlight).then(() => this.#client.close());
    return this.#closed;
  }

  async #repeat<T>(patienceMs: number, work: (client: Client) => Promise<T>): Promise<T> {
    const end = performance.now() + patienceMs;
    for (let attempt = 0; ; attempt++) {
      if (this.#closing.signal.aborted) throw new LexicalIndexUnavailable('the lexical index was closed');
      const flight = work(this.#client);
      this.#inFlight.add(flight);
      try {
        return await flight;
      } catch (failure) {
        const error = translate(failure);
        // Three quarters to the whole, so that writers which failed together do not return together.
        const wait = Math.min(longestDelayMs, firstDelayMs * 2 ** attempt) * (0.75 + Math.random() * 0.25);
        if (!(error instanceof LexicalIndexUnavailable) || performance.now() + wait >= end) throw error;
        await pause(wait, this.#closing.signal);
      } finally {
        this.#inFlight.delete(flight);
      }
    }
  }
}
