import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPglite } from '../../src/adapters/pglite/open.ts';
import { openSqlEventLog } from '../../src/adapters/sqllog/sql-event-log.ts';
import { LogUnavailable, type EventLog } from '../../src/ports/event-log.ts';
import { pause } from '../../src/support/pause.ts';
import { failing, FaultySql } from '../support/faulty-sql.ts';
import { freshStream, ids, storedEvents } from '../support/log-events.ts';

describe('the SQL log with a database that does not answer', () => {
  let sql: FaultySql;
  let log: EventLog;

  beforeAll(async () => {
    sql = new FaultySql(await openPglite());
    log = await openSqlEventLog(sql);
  });

  beforeEach(() => {
    sql.fault = () => undefined;
  });

  afterAll(async () => {
    await log.close();
    await sql.close();
  });

  it('reports it on every call', async () => {
    sql.fault = () => 'before';
    for (const call of [
      () => log.append(freshStream(), 'any', storedEvents(1)),
      () => log.readStream(freshStream()),
      () => log.readAll({ limit: 1 }),
      () => log.head(),
      () => log.positionAt(new Date()),
    ])
      await expect(call()).rejects.toBeInstanceOf(LogUnavailable);
  });

  it('writes an append once that is repeated after its reply was lost, despite other appends meanwhile', async () => {
    const stream = freshStream();
    const events = storedEvents(2);
    sql.fault = failing('log.append', 'after');
    await expect(log.append(stream, 'noStream', events)).rejects.toBeInstanceOf(LogUnavailable);
    await log.append(stream, 1, storedEvents(3));
    expect(await log.append(stream, 'noStream', events)).toMatchObject({ revision: 1, repeated: true });
    expect(await log.readStream(stream)).toHaveLength(5);
  });

  it('reports a whole group as having an unknown outcome, and each append can be repeated', async () => {
    const appends = Array.from({ length: 6 }, () => ({ stream: freshStream(), events: storedEvents(2) }));
    const append = () =>
      Promise.allSettled(appends.map(({ stream, events }) => log.append(stream, 'noStream', events)));
    sql.fault = failing('log.append', 'after');
    for (const outcome of await append())
      expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'LogUnavailable' } });
    for (const outcome of await append())
      expect(outcome).toMatchObject({ status: 'fulfilled', value: { revision: 1, repeated: true } });
    for (const { stream, events } of appends) expect(ids(await log.readStream(stream))).toEqual(ids(events));
  });

  it('does not report a conflict if it cannot find out whether the append is a repetition', async () => {
    const stream = freshStream();
    const [event] = storedEvents(1);
    await log.append(stream, 'noStream', [event!]);
    sql.fault = failing('max(revision)', 'before');
    await expect(log.append(stream, 0, [event!])).rejects.toBeInstanceOf(LogUnavailable);
  });

  it('resumes a subscription afterwards without gaps or duplicates', async () => {
    const stream = freshStream();
    const events = storedEvents(9);
    const after = await log.head();
    await log.append(stream, 'noStream', events.slice(0, 3));
    sql.fault = failing('log.head h', 'before', 2);
    const stop = new AbortController();
    const seen: string[] = [];
    for await (const page of log.subscribe({ after, batchSize: 2, signal: stop.signal })) {
      seen.push(...ids(page.events));
      if (seen.length === 3) {
        sql.fault = failing('log.head h', 'before', 2);
        await log.append(stream, 2, events.slice(3));
      }
      if (seen.length === 9) stop.abort();
    }
    expect(seen).toEqual(ids(events));
  });

  it('reads seldom for a subscription whose filter skips what a busy log gets', async () => {
    const after = await log.head();
    const wanted = freshStream();
    const stop = new AbortController();
    const filter = { categories: [wanted.slice(0, wanted.indexOf('-'))] };
    const pages = log.subscribe({ after, filter, signal: stop.signal });
    const found = (async () => {
      for await (const { events } of pages) if (events.length > 0) return events;
      return [];
    })();
    let reads = 0;
    sql.fault = (statement) => {
      if (statement.includes('log.head h')) reads++;
      return undefined;
    };
    const start = performance.now();
    for (let i = 0; i < 60; i++) {
      await log.append(freshStream(), 'noStream', storedEvents(1));
      await pause(10);
    }
    const elapsedMs = performance.now() - start;
    // Pauses of 20, 40, 80, 160 ms and then 200 ms. Without them there would be a read every 10 ms.
    expect(reads).toBeLessThanOrEqual(6 + elapsedMs / 200);
    const events = storedEvents(1);
    await log.append(wanted, 'noStream', events);
    expect(ids(await found)).toEqual(ids(events));
    stop.abort();
  });

  it('ends a waiting subscription while the database is down', async () => {
    sql.fault = (statement) => (statement.includes('log.head h') ? 'before' : undefined);
    const stop = new AbortController();
    const pages = log.subscribe({ after: 0, signal: stop.signal })[Symbol.asyncIterator]();
    const next = pages.next();
    setTimeout(() => stop.abort(), 20);
    expect(await next).toMatchObject({ done: true });
  });
});
