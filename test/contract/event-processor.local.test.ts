import type { ProcessManager } from '../../src/processors/process-manager.ts';
import { ManagedProcessor } from '../../src/processors/managed-processor.ts';
import { projectionStream } from '../../src/domain/streams.ts';
import type { LoadedEvent } from '../../src/ports/event-store.ts';
import { openTestStore, testContext, type TestStore } from '../support/event-store.ts';
import { describeEventProcessor, type ProcessorHarness } from './event-processor.ts';

/** Of an event that needs no key, in a stream of this name. */
async function append({ store }: TestStore, stream: string): Promise<number> {
  const data = { projection: stream, from: 1, to: 2, rollback: false };
  const event = { type: 'ProjectionSwitched' as const, data };
  return (await store.append(projectionStream(stream), 'any', [event], testContext())).position;
}

/** Streams whose events cannot be handled. */
class FailingStreams {
  readonly #failing = new Set<string>();

  set(stream: string, fails: boolean): void {
    if (fails) this.#failing.add(projectionStream(stream));
    else this.#failing.delete(projectionStream(stream));
  }

  check(events: readonly LoadedEvent[]): void {
    for (const { stream } of events)
      if (this.#failing.has(stream)) throw new Error(`an event of ${stream} cannot be handled`);
  }
}

async function openManager(): Promise<ProcessorHarness> {
  const test = await openTestStore();
  const { sql, store } = test;
  const streams = new FailingStreams();
  await sql.execute('create table read.handled (id serial primary key, position bigint not null)');
  const manager: ProcessManager = {
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
    create: () => new ManagedProcessor(manager, { sql, store, onParked: () => {} }),
    append: (stream) => append(test, stream),
    effects: async () => {
      const rows = await sql.query<{ position: number }>('select position from read.handled order by id');
      return rows.map(({ position }) => position);
    },
    checkpoint: async () => {
      const [row] = await sql.query<{ position: number }>(
        `select position from control.processor_checkpoints where processor = 'test-manager'`,
      );
      return row?.position ?? 0;
    },
    breakEffects: (isBroken) => {
      sql.fault = (statement) =>
        isBroken && statement.includes('insert into read.handled') ? 'before' : undefined;
    },
    failStream: (stream, fails) => streams.set(stream, fails),
    isTransactional: true,
    close: () => test.close(),
  };
}

describeEventProcessor('a process manager', openManager);
