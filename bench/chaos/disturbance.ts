import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const preloaded = path.resolve('bench/chaos/disturbed.mjs');

/** What the clock and the disk of the programs that are started with `environment` look like to them. */
export class Disturbance {
  readonly environment: Readonly<Record<string, string>>;
  readonly #folder: string;
  readonly #file: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#file = path.join(folder, 'disturbance.json');
    this.environment = {
      NODE_OPTIONS: `--import=${pathToFileURL(preloaded).href}`,
      STRATALOG_TEST_DISTURBANCE: this.#file,
    };
  }

  static async open(): Promise<Disturbance> {
    const disturbance = new Disturbance(await mkdtemp(path.join(tmpdir(), 'stratalog-chaos-')));
    await disturbance.set({});
    return disturbance;
  }

  /** `clockMs` is added to the time of day, and each sync of a file takes `diskMs` longer. What is not named goes back to normal. */
  async set(values: { readonly clockMs?: number; readonly diskMs?: number }): Promise<void> {
    const fresh = `${this.#file}.new`;
    await writeFile(fresh, JSON.stringify({ clockMs: 0, diskMs: 0, ...values }));
    await rename(fresh, this.#file);
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}
