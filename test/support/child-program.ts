import { spawn, type ChildProcess } from 'node:child_process';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** The checkout. Tests and benchmarks run in it; a bundled benchmark could not derive it from the path of its sources. */
const root = process.cwd();

export interface Child {
  readonly process: ChildProcess;
  /** The next printed line; rejects if the process ends first. */
  line(): Promise<string>;
  /** Sends a signal and waits until the process ends. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** A TypeScript program of this folder, bundled together with the worker threads, to be run in child processes. */
export class ChildProgram {
  static #count = 0;
  static #latest: Promise<unknown> = Promise.resolve();
  readonly #folder: string;
  readonly #children: Child[] = [];

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** One after the other, because a build that ends also stops the builder of one that is under way, which then never ends. */
  static bundle(source: string): Promise<ChildProgram> {
    const bundled = ChildProgram.#latest.then(() => ChildProgram.#bundle(source));
    ChildProgram.#latest = bundled.catch(() => undefined);
    return bundled;
  }

  static async #bundle(source: string): Promise<ChildProgram> {
    const name = `child-${process.pid}-${ChildProgram.#count++}-${path.basename(source, '.ts')}`;
    const folder = path.join(root, '.cache', name);
    const builder = (await import(pathToFileURL(path.join(root, 'bin', 'build.mjs')).href)) as {
      build(outdir: string): Promise<void>;
    };
    await builder.build(folder);
    await build({
      entryPoints: { program: path.join(root, 'test', 'support', source) },
      outdir: folder,
      bundle: true,
      packages: 'external',
      platform: 'node',
      target: 'node20',
      format: 'esm',
      logLevel: 'error',
    });
    return new ChildProgram(folder);
  }

  start(...args: string[]): Child {
    const program = path.join(this.#folder, 'program.js');
    const child = spawn(process.execPath, [program, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const exited = new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
    });
    const handle: Child = {
      process: child,
      async line() {
        const { value, done } = await lines.next();
        if (done) throw new Error('the child process ended');
        return value;
      },
      async end(signal) {
        child.kill(signal);
        await exited;
      },
    };
    this.#children.push(handle);
    return handle;
  }

  /** Ends the remaining processes and removes the bundle. */
  async dispose(): Promise<void> {
    await Promise.all(this.#children.map((child) => child.end('SIGKILL')));
    await rm(this.#folder, { recursive: true, force: true });
  }
}
