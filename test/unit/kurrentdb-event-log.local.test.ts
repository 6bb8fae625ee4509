import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openKurrentEventLog } from '../../src/adapters/kurrentdb/kurrent-event-log.ts';
import { LogUnavailable, type EventLog, type ExpectedRevision } from '../../src/ports/event-log.ts';
import { DoubleServers, type DoubleServer } from '../support/double-servers.ts';
import { freshCategory, freshStream, ids, storedEvents } from '../support/log-events.ts';
import { PageReader } from '../support/page-reader.ts';
import { eventually } from '../support/eventually.ts';

const deadlineMs = 400;
/** Less than the connection takes to detect a dead server by itself. */
const beforeKeepalive = 10_000;

const calls: readonly [string, (log: EventLog) => Promise<unknown>][] = [
  ['append', (log) => log.append(freshStream(), 'noStream', storedEvents(1))],
  ['readStream', (log) => log.readStream(freshStream())],
  ['readAll', (log) => log.readAll({ limit: 1 })],
  ['readAll backwards', (log) => log.readAll({ limit: 1, direction: 'backwards' })],
  ['head', (log) => log.head()],
  ['positionAt', (log) => log.positionAt(new Date())],
];

describe('[G1] the KurrentDB log with a faulty server', () => {
  const servers = new DoubleServers();
  let server: DoubleServer;
  let log: EventLog;

  beforeAll(async () => {
    server = await servers.start();
    log = await openKurrentEventLog({ connectionString: server.connectionString, deadlineMs });
  });

  afterEach(() => {
    server.double.faults.thaw();
    server.double.faults.lagLimit = undefined;
  });

  afterAll(async () => {
    await log.close();
    await servers.dispose();
  });

  describe.each(['cut', 'silence'] as const)('loses a reply after the write (%s)', (how) => {
    it.each<[ExpectedRevision, number]>([
      ['noStream', 0],
      [1, 2],
      ['any', 2],
      ['exists', 2],
    ])(
      'writes a repeated append once and returns its first result, despite other appends meanwhile (%s)',
      async (expected, before) => {
        const stream = freshStream();
        if (before > 0) await log.append(stream, 'noStream', storedEvents(before));
        const events = storedEvents(2);
        server.double.faults.loseReplies(1, how);
        await expect(log.append(stream, expected, events)).rejects.toBeInstanceOf(LogUnavailable);
        await log.append(stream, 'any', storedEvents(3));
        const last = (await log.readStream(stream))[before + 1]!;
        expect(last.id).toBe(events[1]!.id);
        expect(await log.append(stream, expected, events)).toEqual({
          revision: before + 1,
          position: last.position,
          time: last.time,
          repeated: true,
        });
        expect(await log.readStream(stream)).toHaveLength(before + 5);
      },
      beforeKeepalive,
    );
  });

  it.each<[ExpectedRevision, number]>([
    ['noStream', 0],
    [1, 2],
    ['any', 2],
  ])('reports an append that is repeated at once as repeated (%s)', async (expected, before) => {
    const stream = freshStream();
    if (before > 0) await log.append(stream, 'noStream', storedEvents(before));
    await log.readStream(stream);
    const events = storedEvents(2);
    server.double.faults.loseReplies(1, 'cut');
    await expect(log.append(stream, expected, events)).rejects.toBeInstanceOf(LogUnavailable);
    const again = await log.append(stream, expected, events);
    expect(again).toMatchObject({ revision: before + 1, repeated: true });
  });

  it('reports all appends on a lost connection as having an unknown outcome, and each can be repeated', async () => {
    const appends = Array.from({ length: 20 }, () => ({ stream: freshStream(), events: storedEvents(2) }));
    server.double.faults.loseReplies(3, 'cut');
    const outcomes = await Promise.allSettled(
      appends.map(({ stream, events }) => log.append(stream, 'noStream', events)),
    );
    expect(outcomes.some(({ status }) => status === 'rejected')).toBe(true);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(LogUnavailable);
    for (const { stream, events } of appends) {
      await eventually(() => log.append(stream, 'noStream', events).catch(() => undefined)).toMatchObject({
        revision: 1,
      });
      expect(ids(await log.readStream(stream))).toEqual(ids(events));
    }
  });

  it.each(calls)(
    'reports within the deadline that the server does not answer: %s',
    async (_, call) => {
      server.double.faults.freeze();
      await expect(call(log)).rejects.toBeInstanceOf(LogUnavailable);
      server.double.faults.thaw();
      await call(log);
    },
    beforeKeepalive,
  );

  it.each(calls)('reports that the server is down, and continues when it is back: %s', async (_, call) => {
    await server.double.goAway();
    await expect(call(log)).rejects.toBeInstanceOf(LogUnavailable);
    await server.double.comeBack();
    await eventually(() =>
      call(log).then(
        () => 'answered',
        () => 'failed',
      ),
    ).toBe('answered');
  });

  it('resumes a subscription after an outage without gaps or duplicates', async () => {
    const stream = freshStream();
    const events = storedEvents(9);
    const reader = new PageReader(log, { after: await log.head(), batchSize: 2 });
    await log.append(stream, 'noStream', events.slice(0, 3));
    await eventually(() => ids(reader.events)).toEqual(ids(events.slice(0, 3)));
    await server.double.goAway();
    await server.double.comeBack();
    await eventually(() => log.append(stream, 2, events.slice(3)).catch(() => undefined)).toMatchObject({
      revision: 8,
    });
    await eventually(() => reader.events.length).toBe(9);
    await reader.stop();
    expect(ids(reader.events)).toEqual(ids(events));
  });

  it.each([undefined, 'a filter'])(
    'drops a lagging subscriber, which then resumes (%s)',
    async (filtered) => {
      const { connectionString } = server;
      // On a busy machine this read takes longer than the deadline of the other tests' log.
      const patient = await openKurrentEventLog({ connectionString });
      const category = freshCategory();
      const after = await patient.head();
      const filter = filtered === undefined ? {} : { filter: { categories: [category] } };
      const reader = new PageReader(patient, { after, ...filter });
      await eventually(() => server.double.faults.subscribers).toBeGreaterThan(0);
      server.double.faults.lagLimit = 32;
      const events = storedEvents(500);
      await patient.append(freshStream(category), 'noStream', events);
      await eventually(() => reader.events.length).toBe(500);
      server.double.faults.lagLimit = undefined;
      const more = storedEvents(2);
      await patient.append(freshStream(category), 'noStream', more);
      await eventually(() => reader.events.length).toBe(502);
      expect(server.double.faults.dropSubscribers()).toBeGreaterThan(0);
      const last = storedEvents(2);
      await patient.append(freshStream(category), 'noStream', last);
      await eventually(() => reader.events.length).toBe(504);
      await reader.stop();
      await patient.close();
      expect(ids(reader.events)).toEqual(ids([...events, ...more, ...last]));
    },
  );

  it('ends a waiting subscription while the server is down', async () => {
    await server.double.goAway();
    const reader = new PageReader(log, { after: 0 });
    await reader.stop();
    await server.double.comeBack();
  });

  it('cannot be opened if no server answers', async () => {
    await expect(
      openKurrentEventLog({ connectionString: 'esdb://127.0.0.1:9?tls=false', deadlineMs }),
    ).rejects.toBeInstanceOf(LogUnavailable);
    await expect(openKurrentEventLog({ connectionString: 'http://127.0.0.1' })).rejects.toThrow(/esdb/);
  });

  it('discovers the server as the leader of its cluster', async () => {
    const connectionString = server.connectionString.replace('esdb:', 'esdb+discover:');
    const found = await openKurrentEventLog({ connectionString });
    expect(found.logId).toBe(log.logId);
    await found.close();
  });
});

describe('[G1] a subscription with a filter', () => {
  const servers = new DoubleServers();

  afterAll(() => servers.dispose());

  it('moves past events of other processes that do not match', async () => {
    const { connectionString } = await servers.start();
    const [reading, writing] = await Promise.all([1, 2].map(() => openKurrentEventLog({ connectionString })));
    const category = freshCategory();
    const reader = new PageReader(reading!, {
      after: 0,
      filter: { categories: [category], types: ['Wanted'] },
    });
    await writing!.append(freshStream(category), 'noStream', storedEvents(1, { type: 'WantedToo' }));
    const { position } = await writing!.append(freshStream(), 'noStream', storedEvents(3));
    await eventually(() => reader.scannedTo).toBe(position);
    expect(reader.events).toEqual([]);
    await writing!.append(freshStream(category), 'noStream', storedEvents(2, { type: 'Wanted' }));
    await eventually(() => reader.events.length).toBe(2);
    await reader.stop();
    await Promise.all([reading!.close(), writing!.close()]);
  });
});
