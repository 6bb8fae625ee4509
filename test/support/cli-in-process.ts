import { Console } from 'node:console';
import { Readable, Writable } from 'node:stream';
import { runCommand } from '../../src/cli/main.ts';

/** What one run printed, and its exit status. */
export interface CommandOutput {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command of `stratalog` that talks to a server, in this process and with an empty standard input. A process for each would take a
 * quarter of a second of CPU time. Runs of one test file follow one another, because they share the standard streams.
 */
export function runInProcess(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<CommandOutput> {
  const output = last.then(() => runAlone(args, environment));
  last = output.catch(() => undefined);
  return output;
}

async function runAlone(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<CommandOutput> {
  const [stdout, stderr] = [new Collector(), new Collector()];
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('STRATALOG_'));
  const restore = [
    replace(process, 'stdin', Readable.from([])),
    replace(process, 'stdout', stdout),
    replace(process, 'stderr', stderr),
    replace(process, 'env', { ...Object.fromEntries(own), ...environment }),
    replace(globalThis, 'console', new Console(stdout, stderr)),
  ];
  process.exitCode = 0;
  try {
    await runCommand([process.execPath, 'stratalog', ...args]);
    return { code: Number(process.exitCode), stdout: stdout.text, stderr: stderr.text };
  } finally {
    process.exitCode = undefined;
    for (const undo of restore) undo();
  }
}

class Collector extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString();
  }
}

/** Returns a function that undoes the replacement. */
function replace<T extends object>(owner: T, name: keyof T, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(owner, name)!;
  Object.defineProperty(owner, name, { configurable: true, enumerable: true, writable: true, value });
  return () => Object.defineProperty(owner, name, before);
}
