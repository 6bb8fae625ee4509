import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openKurrentEventLog } from '../../src/adapters/kurrentdb/kurrent-event-log.ts';
import {
  LogUnavailable,
  type AppendResult,
  type EventLog,
  type StoredEvent,
} from '../../src/ports/event-log.ts';
import { ChildProgram, type Child } from '../support/child-program.ts';
import { freshCategory, freshStream, ids, storedEvent, storedEvents } from '../support/log-events.ts';
import { PageReader } from '../support/page-reader.ts';
import { startKurrentDouble } from '../doubles/kurrentdb/double.ts';
import { eventually } from '../support/eventually.ts';

describe('[G1] the KurrentDB log whose server is a process', () => {
  let folder: string;
  let program: ChildProgram;
  let server: Child;
  let connectionString: string;
  let log: EventLog;

  const start = async (...port: string[]): Promise<void> => {
    server = program.start('--data', path.join(folder, 'events'), '--port', ...port);
    connectionString = await server.line();
  };
  const restart = (): Promise<void> => start(new URL(connectionString).port);

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'stratalog-kurrentdb-'));
    program = await ChildProgram.bundle('kurrentdb-process.ts');
    await start('0');
    log = await openKurrentEventLog({ connectionString, deadlineMs: 1_000 });
  });

  afterAll(async () => {
    await log.close();
    await program.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  /** Appends like a writer that must not lose events: repeats the same event until the log reports the outcome. */
  const appendPersistently = async (stream: `${string}-${string}.${string}`, event: StoredEvent) => {
    for (;;) {
      try {
        return await log.append(stream, 'any', [event]);
      } catch (error) {
        if (!(error instanceof LogUnavailable)) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  };

  it('keeps acknowledged events exactly once across kills, and delivers them to a running subscription without gaps or duplicates', async () => {
    const category = freshCategory();
    const after = await log.head();
    const readers = [{}, { filter: { categories: [category] } }].map(
      (filter) => new PageReader(log, { after, ...filter }),
    );
    let stop = false;
    const writers = Array.from({ length: 4 }, async () => {
      const stream = freshStream(category);
      const acknowledged: [StoredEvent, AppendResult][] = [];
      while (!stop) {
        const event = storedEvent();
        acknowledged.push([event, await appendPersistently(stream, event)]);
      }
      return { stream, acknowledged };
    });
    for (let kill = 0; kill < 3; kill++) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      await server.end('SIGKILL');
      await restart();
    }
    stop = true;
    let written = 0;
    for (const { stream, acknowledged } of await Promise.all(writers)) {
      const recorded = await log.readStream(stream);
      expect(ids(recorded)).toEqual(acknowledged.map(([{ id }]) => id));
      expect(recorded.map(({ position }) => position)).toEqual(
        acknowledged.map(([, { position }]) => position),
      );
      written += recorded.length;
    }
    const { events: all } = await log.readAll({ after, limit: written + 1 });
    expect(all).toHaveLength(written);
    for (const reader of readers) {
      await eventually(() => reader.scannedTo).toBe(all.at(-1)!.position);
      await reader.stop();
      expect(reader.events).toEqual(all);
    }
  });

  it('reports a frozen server within the deadline, and writes once', async () => {
    const stream = freshStream();
    const events = storedEvents(2);
    server.process.kill('SIGSTOP');
    const reading = expect(log.head()).rejects.toBeInstanceOf(LogUnavailable);
    await expect(log.append(stream, 'noStream', events)).rejects.toBeInstanceOf(LogUnavailable);
    await reading;
    server.process.kill('SIGCONT');
    await eventually(() => log.append(stream, 'noStream', events).catch(() => undefined)).toMatchObject({
      revision: 1,
    });
    expect(ids(await log.readStream(stream))).toEqual(ids(events));
  }, 10_000);
});

describe('the double of the event store', () => {
  it('truncates a torn write at the end of its file, and keeps every append before it', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'stratalog-kurrentdb-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = path.join(folder, 'events');
    const [stream, torn] = [freshStream(), freshStream()];
    const events = storedEvents(3);
    const first = await startKurrentDouble({ file });
    const log = await openKurrentEventLog({ connectionString: first.connectionString });
    await log.append(stream, 'noStream', events);
    await log.append(torn, 'noStream', storedEvents(3));
    await log.close();
    await first.close();
    const { size } = await stat(file);
    const handle = await open(file, 'r+');
    await handle.truncate(size - 5);
    await handle.close();
    const second = await startKurrentDouble({ file });
    const again = await openKurrentEventLog({ connectionString: second.connectionString });
    expect(again.logId).toBe(log.logId);
    expect(ids(await again.readStream(stream))).toEqual(ids(events));
    expect(await again.readStream(torn)).toEqual([]);
    const rewritten = storedEvents(1);
    expect((await again.append(torn, 'noStream', rewritten)).revision).toBe(0);
    await again.close();
    await second.close();
    const third = await startKurrentDouble({ file });
    const last = await openKurrentEventLog({ connectionString: third.connectionString });
    expect(ids(await last.readStream(torn))).toEqual(ids(rewritten));
    await last.close();
    await third.close();
  });
});
