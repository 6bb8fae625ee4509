import { randomUUID } from 'node:crypto';
import {
  jsonEvent,
  type AllStreamSubscription,
  type AppendExpectedRevision,
  type AppendResult,
  type EventData,
  type EventStoreDBClient,
  type JSONEventData,
  type ReadStreamOptions,
  type ResolvedEvent,
  type StreamSubscription,
} from '@eventstore/db-client';
import { expect } from 'vitest';
import { eventually } from './eventually.ts';

/** A server of the event store with a client. */
export interface ServerUnderTest {
  readonly client: EventStoreDBClient;
  readonly connectionString: string;
}

export type Errors<E> = abstract new (...args: never[]) => E;

const run = randomUUID().slice(0, 8);
let counter = 0;

/** A new stream name, because servers are reused by other tests and runs. */
export function freshName(label: string): string {
  return `server.${label}.${run}.${counter++}`;
}

export function counted(n: number | string, more: { id?: string; metadata?: object } = {}): JSONEventData {
  return jsonEvent({ type: 'Counted', data: { n }, ...more } as Parameters<typeof jsonEvent>[0]);
}

export function countedEvents(count: number): JSONEventData[] {
  return Array.from({ length: count }, (_, n) => counted(n));
}

/** The calls that the test cases use most. */
export class ServerCalls {
  readonly #server: ServerUnderTest;

  constructor(server: ServerUnderTest) {
    this.#server = server;
  }

  get client(): EventStoreDBClient {
    return this.#server.client;
  }

  get connectionString(): string {
    return this.#server.connectionString;
  }

  append(
    stream: string,
    events: EventData | EventData[],
    expectedRevision: AppendExpectedRevision = 'any',
  ): Promise<AppendResult> {
    return this.client.appendToStream(stream, events, { expectedRevision });
  }

  read(stream: string, options: ReadStreamOptions = {}): Promise<ResolvedEvent[]> {
    return collect(this.client.readStream(stream, options));
  }

  async revisions(stream: string, options: ReadStreamOptions = {}): Promise<number[]> {
    return (await this.read(stream, options)).map(({ event }) => Number(event!.revision));
  }
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** The error that `promise` rejects with. Fails if it has another class. */
export async function refusal<E extends Error>(promise: Promise<unknown>, type: Errors<E>): Promise<E> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(type);
  return error as E;
}

/** Collects the events of a subscription. */
export class Listener {
  readonly events: ResolvedEvent[] = [];
  readonly log: string[] = [];
  error: Error | undefined;
  readonly #subscription: AllStreamSubscription | StreamSubscription;

  constructor(subscription: AllStreamSubscription | StreamSubscription) {
    this.#subscription = subscription;
    for (const name of ['confirmation', 'caughtUp', 'end', 'close'] as const)
      subscription.on(name, () => this.log.push(name));
    subscription.on('error', (error: Error) => {
      this.error ??= error;
    });
    subscription.on('data', (event: ResolvedEvent) => this.events.push(event));
  }

  get revisions(): number[] {
    return this.events.map(({ event }) => Number(event!.revision));
  }

  async heard(name: string): Promise<void> {
    await eventually(() => this.log).toContain(name);
  }

  async count(count: number): Promise<void> {
    await eventually(() => this.events.length).toBeGreaterThanOrEqual(count);
  }

  async failed<E extends Error>(type: Errors<E>): Promise<void> {
    await eventually(() => this.error).toBeInstanceOf(type);
  }

  async unsubscribe(): Promise<void> {
    await this.#subscription.unsubscribe();
  }
}
