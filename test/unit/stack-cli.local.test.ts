import { execFile } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openKurrentEventLog } from '../../src/adapters/kurrentdb/kurrent-event-log.ts';
import { logs } from '../../stack/logs.mjs';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { freshStream, ids, storedEvents } from '../support/log-events.ts';

interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

describe('[G7] npm run stack', () => {
  let home: string;
  let environment: NodeJS.ProcessEnv;
  let port: number;

  beforeEach(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'stratalog-stack-'));
    port = await freePort();
    environment = { ...process.env, STACK_HOME: home, STACK_KURRENTDB_PORT: String(port) };
    delete environment['STACK_KAFKA_LIBS'];
  });

  afterEach(async () => {
    await stack('down', 'kurrentdb-double');
    await rm(home, { recursive: true });
  });

  function stack(...words: string[]): Promise<Result> {
    return new Promise((resolve) => {
      execFile(
        process.execPath,
        ['stack/cli.mjs', ...words],
        { env: environment },
        (error, stdout, stderr) => {
          resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, stdout, stderr });
        },
      );
    });
  }

  it('starts the KurrentDB double once, keeps its events across `down`, and deletes them on `reset`', async () => {
    const connectionString = `esdb://127.0.0.1:${port}?tls=false`;
    const [stream, events] = [freshStream(), storedEvents(2)];
    const appended = async (): Promise<string[]> => {
      const log = await openKurrentEventLog({ connectionString });
      try {
        return ids(await log.readStream(stream));
      } finally {
        await log.close();
      }
    };
    const first = await stack('up', 'kurrentdb-double', '--json');
    expect(first.code).toBe(0);
    const { 'kurrentdb-double': state } = JSON.parse(first.stdout);
    expect(state).toEqual({ state: 'up', url: connectionString, pid: expect.any(Number) });
    expect(JSON.parse((await stack('up', 'kurrentdb-double', '--json')).stdout)).toEqual(
      JSON.parse(first.stdout),
    );

    const log = await openKurrentEventLog({ connectionString });
    await log.append(stream, 'noStream', events);
    await log.close();
    await stack('down', 'kurrentdb-double');
    expect(JSON.parse((await stack('status', 'kurrentdb-double', '--json')).stdout)).toEqual({
      'kurrentdb-double': { state: 'down', url: connectionString, pid: null },
    });
    await stack('up', 'kurrentdb-double');
    expect(await appended()).toEqual(ids(events));
    expect((await stack('logs', 'kurrentdb-double')).stdout).toContain(connectionString);

    await stack('reset', 'kurrentdb-double');
    await stack('up', 'kurrentdb-double');
    expect(await appended()).toEqual([]);
  });

  it('does not touch a server that it did not start', async () => {
    const other = http.createServer((_, response) => response.writeHead(204).end()).listen(port, '127.0.0.1');
    await once(other, 'listening');
    const { code, stderr } = await stack('up', 'kurrentdb-double');
    other.close();
    expect(code).toBe(1);
    expect(stderr).toContain(`esdb://127.0.0.1:${port}?tls=false is served already`);
  });

  it('reports what each server lacks here, and continues with the next', async () => {
    environment['PATH'] = home;
    delete environment['JAVA_HOME'];
    environment['STACK_KAFKA_PORT'] = String(await freePort());
    environment['STACK_OPENSEARCH_PORT'] = String(await freePort());
    const { code, stdout, stderr } = await stack('up', 'kafka', 'opensearch', 'kurrentdb-double');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^kafka: .*Maven \(mvn\), which is not installed\. Run a Kafka of your own/m);
    expect(stderr).toMatch(/^opensearch: OpenSearch needs Java 17 to 23, and in the PATH there is none\./m);
    expect(stdout).toMatch(/^kafka {2}down$/m);
    expect(stdout).toMatch(/^kurrentdb-double {2}up {2}pid \d+/m);
  });

  it.each([
    [['up', 'mysql'], /no such server: mysql/],
    [['begin'], /usage: .*up\|down\|status\|logs\|reset/],
  ])('%j: prints its usage', async (words, message) => {
    const { code, stderr } = await stack(...words);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  it('uses another port from its variable, and rejects an invalid one', async () => {
    environment['STACK_KURRENTDB_PORT'] = '70000';
    const { code, stderr } = await stack('status', 'kurrentdb-double');
    expect(code).toBe(1);
    expect(stderr.trim()).toBe('STACK_KURRENTDB_PORT=70000 is no port: a number from 1 to 65535');
    environment['STACK_KURRENTDB_PORT'] = String(port);
  });

  it('follows the logs of servers from their last lines, even if a log is truncated', async () => {
    const folder = path.join(home, 'server');
    await mkdir(folder);
    const file = path.join(folder, 'server.log');
    await writeFile(file, `${Array.from({ length: 80 }, (_, line) => `line ${line}`).join('\n')}\n`);
    const written: string[] = [];
    const stop = new AbortController();
    const following = logs([{ name: 'server', folder }], (_, text) => written.push(text), {
      follow: true,
      signal: stop.signal,
    });
    expect(written.join('')).toContain('line 79\n');
    expect(written.join('')).not.toContain('line 29\n');
    await appendFile(file, 'one more\n');
    await eventually(() => written.at(-1)).toBe('one more\n');
    await writeFile(file, 'anew\n');
    await eventually(() => written.at(-1)).toBe('anew\n');
    stop.abort();
    await following;
    expect(await readdir(folder)).toEqual(['server.log']);
  });
});
