import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { nodeCommand } from '../../stack/opensearch-node.mjs';
import { freePort } from './free-port.ts';

/** On a slow, busy machine a Java server takes more than a minute to start. */
const readyMs = 240_000;

/** Folder of the OpenSearch programs that `npm run stack -- up opensearch` fetches; undefined if they are missing. */
export function openSearchHome(): string | undefined {
  const home = path.resolve('.stack/opensearch/home');
  return existsSync(path.join(home, 'complete')) ? home : undefined;
}

/** An OpenSearch node for one test, which can be frozen, killed, and restarted with the same port and data. */
export class PrivateOpenSearch {
  readonly url: string;
  readonly port: number;
  /** Folder of its files. */
  readonly folder: string;
  readonly #home: string;
  #process: ChildProcess | undefined;

  private constructor(home: string, folder: string, port: number) {
    this.#home = home;
    this.folder = folder;
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
  }

  static async start(home: string): Promise<PrivateOpenSearch> {
    const folder = await mkdtemp(path.join(tmpdir(), 'stratalog-opensearch-'));
    const node = new PrivateOpenSearch(home, folder, await freePort());
    await node.restart();
    return node;
  }

  /** Restarts it after a `kill`. Resolves when its indexes are open. */
  async restart(): Promise<void> {
    const options = { home: this.#home, folder: this.folder, port: this.port };
    const { command, args, env, cwd } = await nodeCommand(options);
    const child = spawn(command, args, { env, cwd, stdio: 'ignore' });
    this.#process = child;
    const giveUp = Date.now() + readyMs;
    while (!(await this.#isReady())) {
      if (child.exitCode !== null)
        throw new Error(`OpenSearch ended with ${child.exitCode} while it started`);
      if (Date.now() > giveUp) throw new Error(`OpenSearch is not ready after ${readyMs / 1000} s`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Kills it with SIGKILL, so it cannot write anything more. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** Suspends the process: it neither answers nor closes connections. */
  freeze(): void {
    this.#process?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process?.kill('SIGCONT');
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #isReady(): Promise<boolean> {
    const health = `${this.url}/_cluster/health?wait_for_status=yellow&timeout=1s`;
    return fetch(health, { signal: AbortSignal.timeout(3_000) }).then(
      ({ status }) => status === 200,
      () => false,
    );
  }
}
