import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ChildProgram, type Child } from './child-program.ts';
import { freePort } from './free-port.ts';

/** The double of the event store in a child process, which can be frozen, killed, and restarted with the same port and file. */
export class PrivateKurrent {
  readonly port: number;
  readonly #folder: string;
  readonly #program: ChildProgram;
  #process: Child;

  private constructor(folder: string, port: number, program: ChildProgram, child: Child) {
    this.#folder = folder;
    this.port = port;
    this.#program = program;
    this.#process = child;
  }

  static async start(): Promise<PrivateKurrent> {
    const folder = await mkdtemp(path.join(tmpdir(), 'stratalog-kurrentdb-'));
    const program = await ChildProgram.bundle('kurrentdb-process.ts');
    const port = await freePort();
    return new PrivateKurrent(folder, port, program, await launch(program, folder, port));
  }

  get url(): string {
    return `esdb://127.0.0.1:${this.port}?tls=false`;
  }

  kill(): Promise<void> {
    return this.#process.end('SIGKILL');
  }

  /** Restarts it after a `kill`. Resolves when it accepts requests. */
  async restart(): Promise<void> {
    this.#process = await launch(this.#program, this.#folder, this.port);
  }

  /** Suspends the process: it neither answers nor closes connections. */
  freeze(): void {
    this.#process.process.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process.process.kill('SIGCONT');
  }

  async remove(): Promise<void> {
    this.thaw();
    await this.#program.dispose();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Starts the process and waits until it listens. */
async function launch(program: ChildProgram, folder: string, port: number): Promise<Child> {
  const child = program.start('--data', path.join(folder, 'events'), '--port', String(port));
  await child.line();
  return child;
}
