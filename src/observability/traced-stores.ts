import { SpanKind, type Attributes } from '@opentelemetry/api';
import type { EventLog } from '../ports/event-log.ts';
import type { LexicalIndex } from '../ports/lexical-index.ts';
import type { Sql, SqlExecutor } from '../ports/sql.ts';
import type { OutgoingRecord, ReceivedBatch, Transport } from '../ports/transport.ts';
import { continuing, inPartialSpan, inSpan } from '../support/tracing.ts';

// Stores with spans for their calls: which operation, on what kind of thing, on how many. Names of streams, parameters and texts are no
// part of them, because they may tell content.

/** The stores of a profile that are traced. */
interface Stores {
  readonly sql: Sql;
  readonly log: EventLog;
  readonly transport?: Transport;
  readonly lexicalIndex?: LexicalIndex;
}

export function tracedStores({ sql, log, transport, lexicalIndex }: Stores): Stores {
  return {
    sql: tracedSql(sql),
    log: tracedLog(log),
    ...(transport && { transport: tracedTransport(transport) }),
    ...(lexicalIndex && { lexicalIndex: tracedLexicalIndex(lexicalIndex) }),
  };
}

const client = (name: string, attributes: Attributes) => ({ name, kind: SpanKind.CLIENT, attributes });

function tracedLog(log: EventLog): EventLog {
  const categoryOf = (stream: string) => stream.slice(0, stream.indexOf('-'));
  return {
    logId: log.logId,
    takesKeys: log.takesKeys,
    takesClaims: log.takesClaims,
    append: (stream, expected, events, ...rest) => {
      const category = categoryOf(stream);
      const attributes = {
        'stratalog.log.category': category,
        'stratalog.log.events': events.length,
        'stratalog.log.types': [...new Set(events.map(({ type }) => type))],
      };
      return inPartialSpan(client(`log append ${category}`, attributes), () =>
        log.append(stream, expected, events, ...rest),
      );
    },
    readStream: (stream, options) => {
      const category = categoryOf(stream);
      return inPartialSpan(
        client(`log read ${category}`, { 'stratalog.log.category': category }),
        async (span) => {
          const events = await log.readStream(stream, options);
          span?.setAttribute('stratalog.log.events', events.length);
          return events;
        },
      );
    },
    readAll: (options) =>
      inPartialSpan(client('log read all', {}), async (span) => {
        const page = await log.readAll(options);
        span?.setAttribute('stratalog.log.events', page.events.length);
        return page;
      }),
    ...(log.faultyRow && { faultyRow: () => log.faultyRow!() }),
    head: () => log.head(),
    positionAt: (time) => log.positionAt(time),
    subscribe: (options) => log.subscribe(options),
    close: () => log.close(),
  };
}

function tracedSql(sql: Sql): Sql {
  return {
    connections: sql.connections,
    ...tracedExecutor(sql),
    transaction: (body, options) =>
      inPartialSpan(client('sql transaction', { 'db.system.name': 'postgresql' }), () =>
        sql.transaction((tx) => body(tracedExecutor(tx)), options),
      ),
    queryAs: (tenant, text, params) =>
      inPartialSpan(statement(text), () => sql.queryAs(tenant, text, params)),
    execute: (script) => sql.execute(script),
    listen: (channel, handler) => sql.listen(channel, handler),
    ...(sql.clearLog && { clearLog: () => sql.clearLog!() }),
    close: () => sql.close(),
  };
}

function tracedExecutor(executor: SqlExecutor): SqlExecutor {
  return {
    query: (text, params, options) =>
      inPartialSpan(statement(text), () => executor.query(text, params, options)),
  };
}

const statement = (text: string) => {
  const summary = summaryOf(text);
  return client(`sql ${summary}`, {
    'db.system.name': 'postgresql',
    'db.operation.name': summary.split(' ', 1)[0]!,
    'db.query.summary': summary,
  });
};

/** What a statement does, and to which table first: `select read.memories`. The text itself would be too long for a name. */
export function summaryOf(text: string): string {
  const operation = /\b(select|insert|update|delete|with|set|notify|truncate|create|drop|alter|lock)\b/i.exec(
    text,
  );
  // A function that rows come from is followed by its arguments; a table that rows go to may be followed by its columns.
  const table =
    /\b(?:(?:into|update|table)\s+(?:only\s+)?([a-z_][\w.]*)|(?:from|join)\s+(?:only\s+)?([a-z_][\w.]*\b)(?!\s*\())/i.exec(
      text,
    );
  const verb = operation?.[1]?.toLowerCase() === 'with' ? 'select' : operation?.[1]?.toLowerCase();
  return [verb ?? 'statement', table?.[1] ?? table?.[2]].filter((part) => part !== undefined).join(' ');
}

function tracedLexicalIndex(index: LexicalIndex): LexicalIndex {
  const span = (operation: string) =>
    client(`opensearch ${operation}`, { 'db.system.name': 'opensearch', 'db.operation.name': operation });
  return {
    createGeneration: (generation) => index.createGeneration(generation),
    dropGeneration: (generation) => index.dropGeneration(generation),
    generations: () => index.generations(),
    serve: (generation) => index.serve(generation),
    serving: () => index.serving(),
    write: (generation, documents) => inPartialSpan(span('bulk'), () => index.write(generation, documents)),
    refresh: (generation) => inPartialSpan(span('refresh'), () => index.refresh(generation)),
    search: (query, generation) => inPartialSpan(span('search'), () => index.search(query, generation)),
    count: (generation) => index.count(generation),
    list: (generation, pageSize) => index.list(generation, pageSize),
    expunge: (generation, signal) => index.expunge(generation, signal),
    health: () => index.health(),
    close: () => index.close(),
  };
}

/** Batches without an event of a recorded trace, such as watermarks, which are sent all the time, are not recorded. */
function tracedTransport(transport: Transport): Transport {
  const of = (topic: string, count: number) => ({
    'messaging.system': 'kafka',
    'messaging.destination.name': topic,
    'messaging.batch.message_count': count,
  });
  return {
    ensureTopics: (topics) => transport.ensureTopics(topics),
    partitions: (topic) => transport.partitions(topic),
    partitionOf: (key, partitions) => transport.partitionOf(key, partitions),
    publish: (records) => {
      const events = records.filter(isEvent);
      const place = continuing(events.map(placeOf));
      if (!place) return transport.publish(records);
      const { topic } = events[0]!;
      const what = {
        name: `publish ${topic}`,
        kind: SpanKind.PRODUCER,
        attributes: of(topic, events.length),
        ...place,
      };
      return inSpan(what, () => transport.publish(records));
    },
    consume: (options) =>
      transport.consume({
        ...options,
        handle: (batch: ReceivedBatch) => {
          const events = batch.records.filter(isEvent);
          const place = continuing(events.map(placeOf));
          if (!place) return options.handle(batch);
          const what = {
            name: `process ${batch.topic}`,
            kind: SpanKind.CONSUMER,
            attributes: { ...of(batch.topic, events.length), 'messaging.consumer.group.name': options.group },
            ...place,
          };
          return inSpan(what, () => options.handle(batch));
        },
      }),
    close: () => transport.close(),
  };
}

type Message = Pick<OutgoingRecord, 'key' | 'headers'>;

const isEvent = ({ key }: Message): boolean => key !== null;

/** From the CloudEvents extension of distributed tracing. */
function placeOf({ headers }: Message) {
  const [, traceId, spanId] = headers['ce_traceparent']?.split('-') ?? [];
  return { traceId, spanId };
}
