// The relay from a log in PostgreSQL to Kafka, compared with a bare producer of the same records.
import { randomBytes } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { encode } from '../src/adapters/eventstore/codec.ts';
import { openKafkaTransport } from '../src/adapters/kafka/transport.ts';
import { migrate } from '../src/adapters/migrate.ts';
import { openPostgres } from '../src/adapters/postgres/postgres.ts';
import { openSqlLeases } from '../src/adapters/sql/leases.ts';
import { openSqlEventLog } from '../src/adapters/sqllog/sql-event-log.ts';
import { toRecord } from '../src/domain/contract/cloud-event.ts';
import { topicsOf } from '../src/domain/contract/topics.ts';
import { decide, initialState } from '../src/domain/memory/memory.ts';
import { memoryStream } from '../src/domain/streams.ts';
import type { EventLog, RecordedEvent } from '../src/ports/event-log.ts';
import type { Transport } from '../src/ports/transport.ts';
import { Relay } from '../src/relay/relay.ts';
import { relaySchema } from '../src/relay/schema.ts';
import { freshDatabase } from '../test/support/database.ts';
import type { Benchmark, BenchmarkOptions } from './support/benchmark.ts';
import type { Report } from './support/report.ts';
import { inLanes, timed } from './support/statistics.ts';
import { readTopics } from './support/topics.ts';

const writers = 64;
/** Page size with which the relay reads the log. The bare producer sends its records in pages of the same size. */
const pageSize = 500;
/** Enough for V8 to compile the hot code. */
const warmUp = 5_000;

export const relay: Benchmark = {
  name: 'relay',
  about: 'the relay from PostgreSQL to Kafka, against a bare producer of the same records',
  async run(options, report) {
    const brokers = process.env['STRATALOG_KAFKA_BROKERS']?.split(',');
    if (brokers === undefined || process.env['STRATALOG_POSTGRES_URL'] === undefined) {
      report.note('left out: STRATALOG_KAFKA_BROKERS and STRATALOG_POSTGRES_URL name no servers');
      return;
    }
    const database = await freshDatabase();
    const transport = await openKafkaTransport({ brokers });
    const sql = await openPostgres({ url: database.url });
    const log = await openSqlEventLog(sql);
    try {
      await migrate(sql, 'relay', relaySchema);
      const count = Math.min(options.memories, 50_000);
      await fill(log, count, options);
      const { result: events, ms: readMs } = await timed(() => readLog(log));
      await produceBare(transport, log.logId, events.slice(0, warmUp));
      const bareMs = await produceBare(transport, log.logId, events);
      const prefix = freshPrefix();
      const start = performance.now();
      const leases = await openSqlLeases(sql, 'bench');
      const onError = (error: unknown): void => report.check('the relay goes on', false, String(error));
      const published = new Relay({ log, transport, sql, leases, prefix, onError });
      published.start();
      while ((await published.status()).positionsBehind > 0)
        await new Promise((next) => setTimeout(next, 20));
      const relayMs = performance.now() - start;
      await published.stop();
      report.figure({
        name: 'published',
        value: events.length / (relayMs / 1_000),
        unit: '/s',
        baseline: { name: 'bare producer', value: events.length / (bareMs / 1_000) },
        target: { of: 'value', least: 5_000 },
      });
      report.figure({ name: 'the log read alone', value: events.length / (readMs / 1_000), unit: '/s' });
      const bytes = events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
      report.note(
        `${events.length} events of ${Math.round(bytes / events.length)} bytes; the relay begins with its lease and its topics`,
      );
      await checkTopics(transport, prefix, log.logId, events, report);
    } finally {
      await log.close();
      await sql.close();
      await transport.close();
      await database.drop();
    }
  },
};

const freshPrefix = (): string => `bench.relay.${randomBytes(5).toString('hex')}`;

/** Events of stored memories, sealed as the program seals them. */
async function fill(log: EventLog, count: number, { source }: BenchmarkOptions): Promise<void> {
  const key = randomBytes(32);
  await inLanes(writers, count, async (index) => {
    const id = uuid();
    const { content, layer, scope, tags, metadata } = source.memory(index);
    const value = { id, content, layer, scope, tags, metadata, spaces: [], representations: {} };
    const [event] = decide({ type: 'store', value: { ...value, createdBy: 'user:alice' } }, initialState);
    const stream = memoryStream('acme', id);
    const origin = { tenant: 'acme', actor: 'user:alice', principal: 'key:1', cause: 'user' } as const;
    const stored = encode(uuid(), stream, event!, { ...origin, correlationId: uuid(), keyId: id }, { key });
    await log.append(stream, 'noStream', [stored]);
  });
}

async function readLog(log: EventLog): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for (let after = 0; ;) {
    const page = await log.readAll({ after, limit: pageSize });
    if (page.events.length === 0) return events;
    events.push(...page.events);
    after = page.scannedTo;
  }
}

/** Sends prepared records as fast as the brokers accept them. Returns milliseconds. */
async function produceBare(
  transport: Transport,
  logId: string,
  events: readonly RecordedEvent[],
): Promise<number> {
  const prefix = freshPrefix();
  await transport.ensureTopics(topicsOf(prefix));
  const records = events.map((event) => toRecord(event, { logId, prefix }));
  const { ms } = await timed(async () => {
    const pages = Math.ceil(records.length / pageSize);
    await inLanes(8, pages, (page) =>
      transport.publish(records.slice(page * pageSize, (page + 1) * pageSize)),
    );
  });
  return ms;
}

async function checkTopics(
  transport: Transport,
  prefix: string,
  logId: string,
  events: readonly RecordedEvent[],
  report: Report,
): Promise<void> {
  const partitions = await readTopics(transport, prefix, events.at(-1)!.position);
  const wanted = new Map(events.map((event) => [event.position, event]));
  let inOrder = true;
  let equal = 0;
  for (const records of partitions.values()) {
    let last = 0;
    for (const read of records) {
      if (read.kind !== 'event') continue;
      const { position, data, metadata, id } = read.event;
      if (position <= last) inOrder = false;
      last = position;
      const event = wanted.get(position);
      wanted.delete(position);
      if (event && event.id === id && event.data === data && event.metadata === metadata) equal++;
    }
  }
  report.check('every event is in Kafka, byte for byte', equal === events.length, `${equal}`);
  report.check('once, and in the order of the log', inOrder && wanted.size === 0);
  const own = [...partitions.values()]
    .flat()
    .every((read) => read.kind !== 'foreign' && read.logId === logId);
  report.check('and nothing else', own);
}
