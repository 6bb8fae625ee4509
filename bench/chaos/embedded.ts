import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../test/support/free-port.ts';
import type { Random } from '../../test/support/random.ts';
import { startServer, type ServerAddress, type TestServer } from '../../test/support/server.ts';
import { SmallDisk, whyNoSmallDisk } from '../../test/support/small-disk.ts';
import { Disturbance } from './disturbance.ts';
import { switched, type ChaosFault, type World } from './world.ts';

const diskMegabytes = 1_024;
const stepMs = 3_600_000;

/** One server of the profile `embedded`, on a small disk if one can be mounted here. */
export class EmbeddedWorld implements World {
  readonly profile = 'embedded';
  readonly hasDensePositions = true;
  readonly endedByThemselves: string[] = [];
  readonly urls: string[];
  readonly skipped: readonly string[];
  readonly #disk: SmallDisk | undefined;
  readonly #disturbance: Disturbance;
  readonly #start: () => Promise<TestServer>;
  readonly #removeFolder: () => Promise<void>;
  #server: TestServer;
  /** Servers that were ended on purpose. */
  readonly #ended = new WeakSet<TestServer>();
  #isDiskFull = false;

  private constructor(
    server: TestServer,
    parts: {
      readonly start: () => Promise<TestServer>;
      readonly removeFolder: () => Promise<void>;
      readonly disk: SmallDisk | undefined;
      readonly whyNoDisk: string | undefined;
      readonly disturbance: Disturbance;
    },
  ) {
    this.#server = server;
    this.#start = parts.start;
    this.#removeFolder = parts.removeFolder;
    this.#disk = parts.disk;
    this.#disturbance = parts.disturbance;
    this.urls = [server.url];
    this.skipped =
      parts.whyNoDisk === undefined ? [] : [`full disk: none can be mounted here (${parts.whyNoDisk})`];
    this.#watch(server);
  }

  static async start(): Promise<EmbeddedWorld> {
    const whyNoDisk = whyNoSmallDisk();
    const disk = whyNoDisk === undefined ? await SmallDisk.mount(diskMegabytes) : undefined;
    const folder = disk?.mountPoint ?? (await mkdtemp(path.join(tmpdir(), 'stratalog-chaos-')));
    const disturbance = await Disturbance.open();
    const environment = {
      STRATALOG_PROFILE: 'embedded',
      STRATALOG_EMBEDDER: 'deterministic',
      STRATALOG_DATA: path.join(folder, 'data'),
      STRATALOG_PORT: String(await freePort()),
      ...disturbance.environment,
    };
    const start = (): Promise<TestServer> =>
      startServer({ dataDir: folder, environment, isLongLived: true, ...(disk && { prefix: disk.prefix }) });
    const removeFolder = () => (disk ? disk.remove() : rm(folder, { recursive: true, force: true }));
    return new EmbeddedWorld(await start(), { start, removeFolder, disk, whyNoDisk, disturbance });
  }

  get address(): ServerAddress {
    return this.#server;
  }

  get faults(): readonly ChaosFault[] {
    const restarted = (name: string, signal: NodeJS.Signals): ChaosFault => ({
      name,
      lasts: [500, 3_000],
      inject: (forMs) => this.#restart(signal, forMs),
    });
    const normal = () => this.#disturbance.set({});
    return [
      restarted('the server is killed', 'SIGKILL'),
      restarted('the server is stopped and started', 'SIGTERM'),
      { name: 'the server is frozen', lasts: [2_000, 8_000], inject: (forMs) => this.#freeze(forMs) },
      switched(
        'the disk is slow',
        [4_000, 10_000],
        (random) => this.#disturbance.set({ diskMs: random.int(20, 200) }),
        normal,
      ),
      switched('the clock steps forward', [4_000, 10_000], (random) => this.#step(random, 1), normal),
      switched('the clock steps back', [4_000, 10_000], (random) => this.#step(random, -1), normal),
      ...(this.#disk === undefined
        ? []
        : [
            switched(
              'the disk is full',
              [4_000, 10_000],
              (random) => this.#fill(random),
              () => this.#free(),
            ),
          ]),
    ];
  }

  async heal(): Promise<void> {
    await this.#disturbance.set({});
    await this.#free();
    this.#server.process.kill('SIGCONT');
    const { exitCode, signalCode } = this.#server.process;
    if (exitCode !== null || signalCode !== null) await this.#launch();
  }

  async remove(): Promise<void> {
    this.#expectEnd();
    await this.#server.remove();
    await this.#removeFolder();
    await this.#disturbance.remove();
  }

  #step(random: Random, direction: 1 | -1): Promise<void> {
    return this.#disturbance.set({ clockMs: direction * random.int(1_000, stepMs) });
  }

  async #restart(signal: NodeJS.Signals, awayMs: number): Promise<void> {
    this.#expectEnd();
    await this.#server.stop(signal);
    await sleep(awayMs);
    await this.#launch();
  }

  async #launch(): Promise<void> {
    this.#server = await this.#start();
    this.#watch(this.#server);
  }

  async #freeze(forMs: number): Promise<void> {
    this.#server.process.kill('SIGSTOP');
    await sleep(forMs);
    this.#server.process.kill('SIGCONT');
  }

  async #fill(random: Random): Promise<void> {
    this.#disk!.fill(random.pick([0, 1 << 20, 20 << 20]));
    this.#isDiskFull = true;
  }

  async #free(): Promise<void> {
    if (this.#isDiskFull) this.#disk!.free();
    this.#isDiskFull = false;
  }

  #watch(server: TestServer): void {
    server.process.once('exit', (code, signal) => {
      if (this.#ended.has(server)) return;
      const said = server.log.slice(-5).join(' | ').slice(0, 1_000);
      this.endedByThemselves.push(`the server ended by itself with ${signal ?? code}: ${said}`);
    });
  }

  #expectEnd(): void {
    this.#ended.add(this.#server);
  }
}
