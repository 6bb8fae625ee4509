import { Socket } from 'node:net';
import { Client, type ClientConfig } from 'pg';
import { abandonAfter } from '../../support/resilience/time-limit.ts';
import { identifier } from '../sql/begin.ts';
import { translate } from './errors.ts';

const firstRetryMs = 200;
const longestRetryMs = 5000;
/** A server that is frozen says no goodbye. */
const goodbyeMs = 1_000;

/** Listens on a connection of its own, and connects again by itself when that one is lost. */
export class Listener {
  readonly #config: ClientConfig;
  readonly #handlers = new Map<string, Set<(missed: boolean) => void>>();
  #client: Client | undefined;
  #socket: Socket | undefined;
  #connecting: Promise<Client> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(config: ClientConfig) {
    this.#config = config;
  }

  /** Rejects with `SqlUnavailable` where the first connection fails; later ones are retried for ever. */
  async listen(channel: string, handler: (missed: boolean) => void): Promise<() => Promise<void>> {
    // An object of its own a call: the same function may be registered twice.
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
      // A lost connection listens to nothing either.
      const unlisten = async () => this.#client?.query(`unlisten ${identifier(channel)}`);
      await abandonAfter(goodbyeMs, unlisten).catch(() => {});
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    const connecting = this.#connecting;
    this.#client = undefined;
    await abandonAfter(goodbyeMs, async () => (await connecting)?.end()).catch(() => {});
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
    this.#reconnectIn(firstRetryMs);
  }

  #reconnectIn(ms: number): void {
    if (this.#closed || this.#handlers.size === 0) return;
    this.#retry = setTimeout(() => {
      this.#connected().then(
        // What was notified meanwhile is not told again.
        () => [...this.#handlers.keys()].forEach((channel) => this.#wake(channel, true)),
        () => this.#reconnectIn(Math.min(ms * 2, longestRetryMs)),
      );
    }, ms);
  }

  #wake(channel: string, missed = false): void {
    for (const handler of this.#handlers.get(channel) ?? []) handler(missed);
  }
}
