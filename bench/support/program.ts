import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpClient, type Json, type Reply } from './http.ts';

export type EmbedderKind = 'onnx' | 'deterministic';

export interface ProgramOptions {
  readonly dataDir: string;
  readonly embedder: EmbedderKind;
  /** Folder for its CPU profiles; if undefined, none are written. */
  readonly profile?: string | undefined;
  /** Further settings, such as another profile and its servers. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Roles of the process; all if undefined. */
  readonly role?: string;
  /** A module that is loaded first and answers `ask`. */
  readonly preload?: string;
}

const masterKey = 'benchmark-master-key';
const pollMs = 50;
/** Polling interval as a share of the time waited so far, because each poll costs the server and its back ends time. */
const pollShare = 0.02;
/** Longer than any catch-up of these benchmarks. After this time something must hang. */
const longestWaitMs = 60 * 60_000;
/** Longer than any maintenance statement. */
const longestSilenceMs = 60_000;

/** The complete program in its own process with a data folder on disk, by default with the embedded profile. */
export class Program {
  readonly url: string;
  /** Time from the start of the process to readiness. */
  readonly startMs: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string, startMs: number) {
    this.#child = child;
    this.url = url;
    this.startMs = startMs;
  }

  static async start({
    dataDir,
    embedder,
    profile,
    environment,
    role,
    preload,
  }: ProgramOptions): Promise<Program> {
    const own = Object.entries(process.env).filter(([name]) => !name.startsWith('STRATALOG_'));
    const started = performance.now();
    const child = spawn(
      process.execPath,
      [
        ...(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]),
        ...(preload === undefined ? [] : ['--import', preload]),
        path.resolve('bin/stratalog.mjs'),
        'serve',
        ...(role === undefined ? [] : ['--role', role]),
      ],
      {
        env: {
          ...Object.fromEntries(own),
          STRATALOG_DATA: dataDir,
          STRATALOG_PORT: '0',
          STRATALOG_MASTER_KEY: masterKey,
          STRATALOG_EMBEDDER: embedder,
          STRATALOG_LOG_LEVEL: 'info',
          ...environment,
        },
        stdio: ['ignore', 'pipe', 'pipe', ...(preload === undefined ? [] : ['ipc' as const])],
      },
    );
    const kill = () => child.kill('SIGKILL');
    process.once('exit', kill);
    child.once('exit', () => process.off('exit', kill));
    const url = await readyUrl(child);
    return new Program(child, url, performance.now() - started);
  }

  /** An HTTP client with a new key of `tenant`. */
  async client(key: { tenant: string; role: string } & Record<string, unknown>): Promise<HttpClient> {
    return new HttpClient(this.url, await this.newKey(key));
  }

  /** The secret of a new key of `tenant`. */
  async newKey(key: { tenant: string; role: string } & Record<string, unknown>): Promise<string> {
    const master = new HttpClient(this.url, masterKey);
    const { key: secret } = await master.expect(201, 'POST', '/v1/admin/keys', key);
    master.close();
    return secret as string;
  }

  /** Name and lag in events of the projection that is furthest behind. */
  async lag(): Promise<{ events: number; projection: string; head: number }> {
    const client = new HttpClient(this.url, masterKey);
    const reply = await answered(() => client.send('GET', '/readyz'));
    client.close();
    const { log, projections } = reply.body;
    const worst = (projections as Json[]).reduce((most, one) => (one.lag > most.lag ? one : most));
    return { events: worst.lag, projection: worst.name, head: log.head };
  }

  /** Resolves when every read model has reached the head of the log. */
  async caughtUp(): Promise<void> {
    const began = performance.now();
    while ((await this.lag()).events > 0) {
      const waited = performance.now() - began;
      if (waited > longestWaitMs) throw new Error('the read models do not catch up');
      await sleep(Math.max(pollMs, pollShare * waited));
    }
  }

  /** Resident memory in MB; undefined if the system has no /proc. */
  async memory(): Promise<number | undefined> {
    const status = await readFile(`/proc/${this.#child.pid}/status`, 'utf8').catch(() => '');
    const kilobytes = /^VmRSS:\s+(\d+)/m.exec(status)?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
  }

  /** Asks the preloaded module. */
  async ask<Answer>(): Promise<Answer> {
    const answer = once(this.#child, 'message');
    this.#child.send('ask');
    return ((await answer) as [Answer])[0];
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill(signal);
    await ended;
  }
}

/** Retries while the database is busy with a long task, such as a vacuum. */
async function answered(ask: () => Promise<Reply>): Promise<Reply> {
  const began = performance.now();
  for (;;) {
    const reply = await ask();
    if (reply.status === 200) return reply;
    if (performance.now() - began > longestSilenceMs)
      throw new Error(`/readyz answers ${reply.status}: ${JSON.stringify(reply.body)}`);
    await sleep(pollMs);
  }
}

function readyUrl(child: ChildProcess): Promise<string> {
  const lines: string[] = [];
  return new Promise((resolve, reject) => {
    const read = (line: string) => {
      lines.push(line);
      if (lines.length > 100) lines.shift();
      const { url, msg } = parse(line);
      if (url !== undefined && msg?.startsWith('ready')) resolve(url);
    };
    createInterface({ input: child.stdout! }).on('line', read);
    createInterface({ input: child.stderr! }).on('line', read);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}:\n${lines.join('\n')}`)));
  });
}

function parse(line: string): { url?: string; msg?: string } {
  try {
    return JSON.parse(line) as { url?: string; msg?: string };
  } catch {
    return {};
  }
}
