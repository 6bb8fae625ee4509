import type { Reactor } from '../../src/follow/reactor.ts';
import { ReactorProcessor } from '../../src/follow/reactor-processor.ts';
import { ensureLive } from '../../src/projections/generations.ts';
import { Generation } from '../../src/projections/generation.ts';
import { LogSource } from '../../src/projections/log-source.ts';
import type { Projection } from '../../src/projections/projection.ts';
import { migrate } from '../../src/adapters/migrate.ts';
import { fromRecord } from '../../src/domain/contract/cloud-event.ts';
import { TransportUnavailable, type Transport } from '../../src/ports/transport.ts';
import { RelayCheckpoint } from '../../src/relay/checkpoint.ts';
import { relayProcessor } from '../../src/relay/publication.ts';
import { relaySchema } from '../../src/relay/schema.ts';
import { projectionStream } from '../../src/domain/streams.ts';
import type { LoadedEvent } from '../../src/ports/event-store.ts';
import { openTestStore, testContext, type TestStore } from '../support/event-store.ts';
import { describeEventProcessor, type ProcessorHarness } from './event-processor.ts';

/** Appends an event that needs no key to a stream of this name. */
async function append({ store }: TestStore, stream: string): Promise<number> {
  const data = { projection: stream, from: 1, to: 2, rollback: false };
  const event = { type: 'ProjectionSwitched' as const, data };
  return (await store.append(projectionStream(stream), 'any', [event], testContext())).position;
}

async function positionsIn({ sql }: TestStore, table: string): Promise<number[]> {
  const rows = await sql.query<{ position: number }>(`select position from ${table} order by id`);
  return rows.map(({ position }) => position);
}

function breakInsertsInto({ sql }: TestStore, table: string, isBroken: boolean): void {
  sql.fault = (statement) => (isBroken && statement.includes(`insert into ${table} `) ? 'before' : undefined);
}

/** Streams whose events cannot be handled. */
class FailingStreams {
  readonly #failing = new Set<string>();

  add(stream: string): void {
    this.#failing.add(projectionStream(stream));
  }

  check(events: readonly LoadedEvent[]): void {
    for (const { stream } of events)
      if (this.#failing.has(stream)) throw new Error(`an event of ${stream} cannot be handled`);
  }
}

/** A projection that stores the positions of its events and follows the log. */
async function openProjection(): Promise<ProcessorHarness> {
  const test = await openTestStore();
  const { sql, store } = test;
  const streams = new FailingStreams();
  const projection: Projection = {
    name: 'handled',
    version: 1,
    handles: ['ProjectionSwitched'],
    holds: { nothing: 'a counter of a test' },
    tables: ['handled'],
    create: (tables) => [
      `create table ${tables('handled')} (id serial primary key, position bigint not null)`,
    ],
    async plan(events, _, tables) {
      streams.check(events);
      return (tx) =>
        tx.query(`insert into ${tables('handled')} (position) select unnest($1::bigint[])`, [
          events.map(({ position }) => position),
        ]);
    },
    digest: (tables) => `select count(*)::text as digest from ${tables('handled')}`,
  };
  await ensureLive(sql, projection);
  return {
    create: () => new LogSource(sql, store).processorOf(new Generation(sql, projection, 1)),
    append: (stream) => append(test, stream),
    effects: () => positionsIn(test, 'read.handled_g1'),
    checkpoint: async () => {
      const [row] = await sql.query<{ position: number }>(
        `select position from follow.checkpoints where name = 'handled'`,
      );
      return row!.position;
    },
    breakEffects: (isBroken) => breakInsertsInto(test, 'read.handled_g1', isBroken),
    failStream: (stream) => streams.add(stream),
    isTransactional: true,
    close: () => test.close(),
  };
}

async function openManager(): Promise<ProcessorHarness> {
  const test = await openTestStore();
  const { sql, store } = test;
  const streams = new FailingStreams();
  await sql.execute('create table read.handled (id serial primary key, position bigint not null)');
  const reactor: Reactor = {
    name: 'test-manager',
    handles: ['ProjectionSwitched'],
    async handle(events) {
      streams.check(events);
      return (tx) =>
        tx.query('insert into read.handled (position) select unnest($1::bigint[])', [
          events.map(({ position }) => position),
        ]);
    },
  };
  return {
    create: () => new ReactorProcessor(reactor, { sql, store, onParked: () => {} }),
    append: (stream) => append(test, stream),
    effects: () => positionsIn(test, 'read.handled'),
    checkpoint: async () => {
      const [row] = await sql.query<{ position: number }>(
        `select position from follow.checkpoints where name = 'test-manager'`,
      );
      return row?.position ?? 0;
    },
    breakEffects: (isBroken) => breakInsertsInto(test, 'read.handled', isBroken),
    failStream: (stream) => streams.add(stream),
    isTransactional: true,
    close: () => test.close(),
  };
}

/** The relay with fake brokers that keep acknowledged events in memory. */
async function openRelay(): Promise<ProcessorHarness> {
  const test = await openTestStore();
  const { sql, log } = test;
  await migrate(sql, 'relay', relaySchema);
  const published: number[] = [];
  let isBroken = false;
  const transport: Partial<Transport> = {
    ensureTopics: async () => {},
    async publish(records) {
      if (isBroken) throw new TransportUnavailable('the brokers do not answer');
      for (const record of records) {
        const read = fromRecord(record);
        if (read.kind === 'event') published.push(read.event.position);
      }
    },
  };
  const checkpoint = new RelayCheckpoint(sql, log.logId, 'test');
  const options = { log, checkpoint, prefix: 'test', onPublished: () => {} };
  return {
    create: () => relayProcessor({ ...options, transport: transport as Transport }),
    append: (stream) => append(test, stream),
    effects: async () => [...published],
    checkpoint: () => checkpoint.read(),
    breakEffects: (broken) => (isBroken = broken),
    isTransactional: false,
    close: () => test.close(),
  };
}

describeEventProcessor('a reactor', openManager, { parks: true });
describeEventProcessor('a read model', openProjection, { parks: true });
describeEventProcessor('the relay', openRelay, { parks: false });
