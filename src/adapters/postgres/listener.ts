import { Socket } from 'node:net';
import { Client, type ClientConfig } from 'pg';
import { Backoff } from '../../support/resilience/backoff.ts';
import { abandonAfter } from '../../support/resilience/time-limit.ts';
import { identifier } from '../sql/begin.ts';
import { translate } from './errors.ts';

const reconnection = { firstMs: 200, longestMs: 5000 };
/** Time limit for ending a connection: a frozen server does not answer. */
const farewellMs = 1_000;

/** Listens on a separate connection, and reconnects when it is lost. */
export class Listener {
  readonly #config: ClientConfig;
  readonly #handlers = new Map<string, Set<(missed: boolean) => void>>();
  #client: Client | undefined;
  #socket: Socket | undefined;
  #connecting: Promise<Client> | undefined;
  readonly #closing = new AbortController();

  constructor(config: ClientConfig) {
    this.#config = config;
  }

  /** Rejects with `SqlUnavailable` if the first connection fails; later connections are retried forever. */
  async listen(channel: string, handler: (missed: boolean) => void): Promise<() => Promise<void>> {
    // A new function for each call, because the same handler may be registered twice.
    const own = (missed: boolean): void => handler(missed);
    const handlers = this.#handlers.get(channel) ?? new Set();
    this.#handlers.set(channel, handlers.add(own));
    try {
      const client = await this.#connected();
      await client.query(`listen ${identifier(channel)}`);
    } catch (error) {
      handlers.delete(own);
      throw translate(error);
    }
    return async () => {
      if (!handlers.delete(own) || handlers.size > 0) return;
      this.#handlers.delete(channel);
      // A lost connection does not listen any more.
      const unlisten = async () => this.#client?.query(`unlisten ${identifier(channel)}`);
      await abandonAfter(farewellMs, unlisten).catch(() => {});
    };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const connecting = this.#connecting;
    this.#client = undefined;
    await abandonAfter(farewellMs, async () => (await connecting)?.end()).catch(() => {});
    this.#socket?.destroy();
  }

  #connected(): Promise<Client> {
    this.#connecting ??= this.#connect().catch((error: unknown) => {
      this.#connecting = undefined;
      throw error;
    });
    return this.#connecting;
  }

  async #connect(): Promise<Client> {
    const socket = new Socket();
    this.#socket = socket;
    const client = new Client({ ...this.#config, keepAlive: true, stream: () => socket });
    client.on('error', () => {});
    client.on('notification', ({ channel }) => this.#wake(channel));
    await client.connect();
    client.on('end', () => this.#lost(client));
    for (const channel of this.#handlers.keys()) await client.query(`listen ${identifier(channel)}`);
    this.#client = client;
    return client;
  }

  #lost(client: Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#connecting = undefined;
    void this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    const { signal } = this.#closing;
    const backoff = new Backoff(reconnection);
    while (!signal.aborted && this.#handlers.size > 0) {
      await backoff.pause(signal);
      if (signal.aborted) return;
      if (!(await this.#connected().catch(() => undefined))) continue;
      // Notifications sent meanwhile are lost.
      for (const channel of this.#handlers.keys()) this.#wake(channel, true);
      return;
    }
  }

  #wake(channel: string, missed = false): void {
    for (const handler of this.#handlers.get(channel) ?? []) handler(missed);
  }
}
