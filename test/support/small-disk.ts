import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, ftruncateSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const mount = (megabytes: number, mountPoint: string, then: string): string[] => [
  '--mount',
  'sh',
  '-c',
  `mount -t tmpfs -o size=${megabytes}m tmpfs '${mountPoint}' && ${then}`,
];

/** Why no small disk can be mounted here; undefined if it can. Requires Linux and the right to mount. */
export function whyNoSmallDisk(): string | undefined {
  const { status, error, stderr } = spawnSync('unshare', mount(1, tmpdir(), 'true'), { encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}

/** A RAM disk that only programs started with its `prefix` can see. */
export class SmallDisk {
  readonly mountPoint: string;
  /** Command prefix for a program that sees the disk at `mountPoint`. */
  readonly prefix: readonly string[];
  readonly #holder: ChildProcess;
  readonly #ballast: string;

  private constructor(mountPoint: string, holder: ChildProcess) {
    this.mountPoint = mountPoint;
    this.#holder = holder;
    this.prefix = ['nsenter', `--mount=/proc/${holder.pid}/ns/mnt`];
    this.#ballast = path.join('/proc', String(holder.pid), 'root', mountPoint, 'ballast');
  }

  static async mount(megabytes: number): Promise<SmallDisk> {
    const mountPoint = await mkdtemp(path.join(tmpdir(), 'stratalog-disk-'));
    const holder = spawn('unshare', mount(megabytes, mountPoint, 'echo mounted && exec sleep infinity'));
    await once(holder.stdout, 'data');
    return new SmallDisk(mountPoint, holder);
  }

  /** Fills the disk except for `leave` bytes. */
  fill(leave = 0): void {
    const file = openSync(this.#ballast, 'a');
    const block = Buffer.alloc(1 << 16);
    try {
      while (writeSync(file, block) === block.length);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
    ftruncateSync(file, Math.max(0, fstatSync(file).size - leave));
    closeSync(file);
  }

  /** Frees the space again. */
  free(): void {
    unlinkSync(this.#ballast);
  }

  async remove(): Promise<void> {
    const ended = once(this.#holder, 'exit');
    this.#holder.kill('SIGKILL');
    await ended;
    await rm(this.mountPoint, { recursive: true, force: true });
  }
}
