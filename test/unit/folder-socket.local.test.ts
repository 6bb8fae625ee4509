import { once } from 'node:events';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pino } from 'pino';
import { socketIn } from '../../src/adapters/folder-socket.ts';
import { openMetrics } from '../../src/adapters/prometheus/metrics.ts';
import { startHttpServer, type HttpServer } from '../../src/http/server.ts';
import type { Metrics } from '../../src/ports/metrics.ts';

/** Removed after each test. */
let home: string;
let folder: string;
let socketFile: string;
let metrics: Metrics & { close(): Promise<void> };
let server: HttpServer | undefined;

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'sl-socket-'));
  folder = home;
  socketFile = path.join(folder, 'api.sock');
  metrics = openMetrics(() => undefined);
});
afterEach(async () => {
  await server?.close(0);
  server = undefined;
  await metrics.close();
  await rm(home, { recursive: true, force: true });
});

async function start(): Promise<void> {
  const ready = async () => ({ status: 'ready' }) as never;
  const socket = await socketIn(folder);
  server = await startHttpServer(
    { ready, metrics, metricsAccess: 'open', api: undefined, socket },
    pino({ level: 'silent' }),
  );
  await socket.dispose();
}

const alive = () =>
  new Promise<number>((resolve, reject) => {
    http
      .get({ socketPath: socketFile, path: '/livez' }, ({ statusCode }) => resolve(statusCode!))
      .on('error', reject);
  });

describe('the socket in a data folder', () => {
  it('[I3] [J3] is never open to other users, whatever the umask', async () => {
    const seen = new Int32Array(new SharedArrayBuffer(8));
    // Looks all the time, which this thread cannot do while it starts the server.
    const watching = `const { lstatSync } = require('node:fs');
      const { workerData: { file, seen } } = require('node:worker_threads');
      Atomics.store(seen, 1, 1);
      Atomics.notify(seen, 1);
      while (Atomics.load(seen, 1) === 1)
        Atomics.or(seen, 0, (lstatSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o777);`;
    const watcher = new Worker(watching, { eval: true, workerData: { file: socketFile, seen } });
    await once(watcher, 'online');
    Atomics.wait(seen, 1, 0, 10_000);
    const umask = process.umask(0);
    try {
      await start();
      await expect.poll(() => Atomics.load(seen, 0)).toBeGreaterThan(0);
    } finally {
      process.umask(umask);
      Atomics.store(seen, 1, 2);
      await once(watcher, 'exit');
    }
    expect((seen[0] ?? 0).toString(8)).toBe('600');
    expect(await alive()).toBe(200);
    expect(readdirSync(folder)).toEqual(['api.sock']);
  });

  it('[I3] [J3] replaces a link that lies there, not the file that it names', async () => {
    const target = path.join(folder, 'precious');
    writeFileSync(target, 'kept');
    symlinkSync(target, socketFile);
    await start();
    expect(await alive()).toBe(200);
    expect(readFileSync(target, 'utf8')).toBe('kept');
    expect(lstatSync(socketFile).isSocket()).toBe(true);
  });

  it('[J3] is gone when the server has stopped, also from a folder whose path is too long to listen on', async () => {
    await start();
    await server!.close(0);
    expect(readdirSync(folder)).toEqual([]);
    folder = path.join(home, 'a'.repeat(60), 'b'.repeat(60));
    mkdirSync(folder, { recursive: true });
    await start();
    expect(readdirSync(folder)).toEqual(['api.sock']);
    await server!.close(0);
    expect(readdirSync(folder)).toEqual([]);
  });
});
