import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientOf, type Json } from '../support/api.ts';
import { Load } from '../support/load.ts';
import { eventually } from '../support/eventually.ts';
import { caughtUp, LogReader, rebuild } from '../support/log-reader.ts';
import { faultsOfAnswers, faultsOfCommands, faultsOfLog, faultsOfSearches } from '../support/oracle.ts';
import { stratalogCommand } from '../support/program.ts';
import { faultSeed } from '../support/random.ts';
import { startServer, type TestServer } from '../support/server.ts';

const [command, ...words] = stratalogCommand;
const seed = faultSeed('graceful-drain');
const embedded = { STRATALOG_PROFILE: 'embedded', STRATALOG_EMBEDDER: 'deterministic' };

describe('a server that is stopped under load', () => {
  let dataDir: string;
  let server: TestServer;
  let load: Load;

  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'stratalog-drain-'));
    const start = (): Promise<TestServer> => startServer({ dataDir, environment: embedded });
    server = await start();
    load = await Load.begin(server, { seed });
    const ended = new AbortController();
    const running = load.run([server.url], 12, ended.signal);
    // On a slow machine, the first searches take seconds.
    await eventually(() => load.searches.length >= 5).toBe(true);
    const code = await server.stop('SIGTERM');
    ended.abort();
    await running;
    expect(code).toBe(0);
    expect(server.log.at(-1)).toContain('stopped');
    server = await start();
  });

  afterAll(async () => {
    await server.remove();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('[J7] exits with 0, and has every acknowledged command and every answered search in the log', async () => {
    await load.repeat(server.url, load.unsettled());
    const head = await caughtUp(server);
    const log = new LogReader(load.tenants);
    await log.read(server.url);
    expect(load.searches.length).toBeGreaterThan(0);
    expect(load.surprises).toEqual([]);
    expect(faultsOfLog(log.events, head)).toEqual([]);
    expect(faultsOfCommands(load.commands, log.events)).toEqual([]);
    expect(faultsOfSearches(load.searches, log.events, true)).toEqual([]);
    for (const tenant of load.tenants)
      expect(await faultsOfAnswers(server.url, tenant, log.events, 50)).toEqual([]);
    const compared = await rebuild(server.url, load.tenants[0]!.key);
    expect(compared.filter(({ equal }) => !equal)).toEqual([]);
  });
});

describe('a server that is stopped while it starts', () => {
  it('[J7] by SIGTERM or SIGINT exits with 0 as soon as possible, and releases the data folder', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'stratalog-drain-'));
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const child = spawn(command, [...words, 'serve'], {
        env: { PATH: process.env['PATH'], ...embedded, STRATALOG_PORT: '0', STRATALOG_DATA: dataDir },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const output = text(child.stdout);
      const ended = once(child, 'close');
      await expect.poll(() => existsSync(path.join(dataDir, 'lock')), { timeout: 30_000 }).toBe(true);
      child.kill(signal);
      expect(await ended).toEqual([0, null]);
      expect(await output).toMatch(/"draining".*"stopped"/s);
      expect(await output).not.toContain('"ready');
      // Its folder stays. The next start creates it again, which shows that it has begun.
      await rm(path.join(dataDir, 'lock'), { recursive: true });
    }
    const server = await startServer({ dataDir, environment: embedded });
    expect(await server.stop()).toBe(0);
    await rm(dataDir, { recursive: true, force: true });
  });
});

describe('a stop', () => {
  it('[J7] [J8] finishes requests in progress, accepts no new connections, and reports on open ones that it is draining', async () => {
    const server = await startServer({
      masterKey: null,
      environment: embedded,
    });
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const bulk = http.request(`${server.url}/v1/memories/bulk`, {
      agent,
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
    });
    const line = (content: string): string => `${JSON.stringify({ content })}\n`;
    bulk.write(line('sent before the stop'));
    const underWay = once(bulk, 'response') as Promise<[http.IncomingMessage]>;
    await underWay;
    const next = http.get(`${server.url}/readyz`, { agent });
    const ended = server.stop('SIGTERM');
    await eventually(() => server.log.some((entry) => entry.includes('draining'))).toBe(true);
    await expect(fetch(`${server.url}/livez`)).rejects.toThrow();
    bulk.end(line('sent while it drains'));
    const lines = (await text((await underWay)[0])).trim().split('\n');
    expect(lines.map((one) => JSON.parse(one).status)).toEqual([201, 201]);
    const [onSameConnection] = (await once(next, 'response')) as [http.IncomingMessage];
    expect(onSameConnection.statusCode).toBe(503);
    expect(onSameConnection.headers.connection).toBe('close');
    expect(JSON.parse(await text(onSameConnection))).toMatchObject({ status: 'draining' });
    expect(await ended).toBe(0);
    await server.remove();
  });

  it('[J7] is aborted by a second signal, but not by the one that npm forwards', async () => {
    const server = await startServer({ masterKey: null, environment: embedded });
    const bulk = http.request(`${server.url}/v1/memories/bulk`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
    });
    bulk.on('error', () => undefined);
    bulk.write(`${JSON.stringify({ content: 'acknowledged before the stop' })}\n`);
    const [response] = (await once(bulk, 'response')) as [http.IncomingMessage];
    response.on('error', () => undefined);
    await once(response, 'data');
    const ended = server.stop('SIGTERM');
    server.process.kill('SIGTERM');
    await eventually(() => server.log.some((entry) => entry.includes('draining'))).toBe(true);
    await sleep(1_500);
    expect(server.process.exitCode).toBeNull();
    server.process.kill('SIGTERM');
    expect(await ended).toBe(1);
    expect(server.log.at(-1)).toContain('second signal');
    const again = await startServer({ masterKey: null, environment: embedded, dataDir: server.dataDir });
    const { body } = await clientOf(again).get('/v1/memories');
    expect(body.items.map(({ content }: Json) => content)).toEqual(['acknowledged before the stop']);
    await again.remove();
    await server.remove();
  });

  it('[J7] [F2] ends a followed audit stream completely and at once', async () => {
    const server = await startServer({ masterKey: null, environment: embedded });
    await clientOf(server).store({ content: 'to be followed' });
    const answer = await fetch(`${server.url}/v1/audit/events?follow=true`);
    const chunks = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    let followed = '';
    const read = async (): Promise<boolean> => {
      const { done, value = '' } = await chunks.read();
      followed += value;
      return !done;
    };
    // A stop before anything was read would leave nothing to be cut off.
    while (!followed.includes('MemoryStored')) expect(await read()).toBe(true);
    const began = performance.now();
    expect(await server.stop('SIGTERM')).toBe(0);
    // Well before the timeout that closes remaining connections.
    expect(performance.now() - began).toBeLessThan(8_000);
    while (await read());
    const types = followed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).type);
    expect(types).toContain('MemoryStored');
    await server.remove();
  });
});
