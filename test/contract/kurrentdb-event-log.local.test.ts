import { afterAll, describe, expect, it } from 'vitest';
import { openKurrentEventLog } from '../../src/adapters/kurrentdb/kurrent-event-log.ts';
import { DoubleServers } from '../support/double-servers.ts';
import { freshStream, storedEvent, storedEvents } from '../support/log-events.ts';
import { eventLogContract } from './event-log.ts';

const servers = new DoubleServers();

afterAll(() => servers.dispose());

eventLogContract('[G1] the KurrentDB log', async () => {
  // Several events of 900,000 bytes at once exceed the server's default limit.
  const { connectionString } = await servers.start({ maxAppendBytes: 4 * 1024 * 1024 });
  const log = await openKurrentEventLog({ connectionString });
  return { log, close: () => log.close() };
});

describe('[G1] the KurrentDB log', () => {
  it('is the same log for every process that opens it', async () => {
    const { connectionString } = await servers.start();
    const logs = await Promise.all([1, 2, 3].map(() => openKurrentEventLog({ connectionString })));
    expect(new Set(logs.map(({ logId }) => logId)).size).toBe(1);
    const stream = freshStream();
    const events = storedEvents(2);
    const first = await logs[0]!.append(stream, 'noStream', events);
    expect(await logs[1]!.append(stream, 'noStream', events)).toEqual({ ...first, repeated: true });
    await Promise.all(logs.map((log) => log.close()));
  });

  it('writes an id once, even if the server has forgotten it', async () => {
    const { connectionString } = await servers.start({ rememberedIds: 0 });
    const [log, other] = await Promise.all([1, 2].map(() => openKurrentEventLog({ connectionString })));
    const stream = freshStream();
    const events = storedEvents(2);
    const first = await log!.append(stream, 'any', events);
    await other!.append(stream, 'exists', storedEvents(3));
    for (const expected of ['any', 'exists', 'noStream'] as const)
      expect(await other!.append(stream, expected, events)).toEqual({ ...first, repeated: true });
    expect(await log!.readStream(stream)).toHaveLength(5);
    await Promise.all([log!.close(), other!.close()]);
  });

  it('reports the stream’s actual revision to a rejected writer', async () => {
    const { connectionString } = await servers.start();
    const [log, other] = await Promise.all([1, 2].map(() => openKurrentEventLog({ connectionString })));
    const stream = freshStream();
    const events = storedEvents(2);
    await log!.append(stream, 'noStream', events);
    await other!.append(stream, 1, storedEvents(3));
    await expect(log!.append(stream, 1, events)).rejects.toMatchObject({ expected: 1, actual: 4 });
    await expect(log!.append(stream, 1, storedEvents(1))).rejects.toMatchObject({ expected: 1, actual: 4 });
    expect((await log!.append(stream, 'any', storedEvents(1))).revision).toBe(5);
    await Promise.all([log!.close(), other!.close()]);
  });

  it('hides system events and its own event', async () => {
    const server = await servers.start();
    const log = await openKurrentEventLog({ connectionString: server.connectionString });
    const stream = freshStream();
    await log.append(stream, 'noStream', storedEvents(3));
    await server.limitStream(stream);
    const { events, scannedTo } = await log.readAll({ limit: 100 });
    expect(new Set(events.map((event) => event.stream))).toEqual(new Set([stream]));
    expect(events).toHaveLength(3);
    expect(scannedTo).toBe(await log.head());
    expect(await log.readStream('log-system.identity')).toEqual([]);
    await expect(log.append('log-system.identity', 'any', storedEvents(1))).rejects.toThrow(/reserved/);
    const backwards = await log.readAll({ limit: 1, direction: 'backwards' });
    expect(backwards.events[0]!.position).toBe(scannedTo);
    await log.close();
  });

  it('rejects an append beyond the server’s limit, and writes nothing', async () => {
    const { connectionString } = await servers.start();
    const log = await openKurrentEventLog({ connectionString });
    const stream = freshStream();
    const large = storedEvent({ data: JSON.stringify('x'.repeat(700_000)) });
    await expect(log.append(stream, 'noStream', [large, { ...large, id: storedEvent().id }])).rejects.toThrow(
      /--max-append-size/,
    );
    expect(await log.readStream(stream)).toEqual([]);
    expect((await log.append(stream, 'noStream', [large])).revision).toBe(0);
    await log.close();
  });

  it('continues from a position that no event has', async () => {
    const { connectionString } = await servers.start();
    const log = await openKurrentEventLog({ connectionString });
    const events = storedEvents(3);
    await log.append(freshStream(), 'noStream', events);
    const { events: all } = await log.readAll({ limit: 3 });
    const between = all[0]!.position + 1;
    const expected = all.slice(1);
    expect((await log.readAll({ after: between, limit: 9 })).events).toEqual(expected);
    expect((await log.readAll({ after: between, limit: 9, direction: 'backwards' })).events).toEqual(
      all.slice(0, 1),
    );
    const stop = new AbortController();
    const seen: unknown[] = [];
    for await (const page of log.subscribe({ after: between, signal: stop.signal })) {
      seen.push(...page.events);
      if (seen.length >= 2) stop.abort();
    }
    expect(seen).toEqual(expected);
    await log.close();
  });
});
