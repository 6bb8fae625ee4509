import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { DocumentContent } from '../../domain/documents/content.ts';
import { Problem } from '../../domain/problems.ts';
import type { FileToRead } from '../../ports/document-reader.ts';
import { entryFile } from '../worker-entry.ts';
import type { ReadAnswer, ReadRequest } from './reader-process.ts';

export interface ReaderChildOptions {
  /** How long reading one file may take. */
  readonly timeLimitMs: number;
  /** How long the process may compute for one file, without what its size allows. Other work of the machine does not count. */
  readonly cpuLimitMs: number;
  /** How much longer for each MB of the file. */
  readonly cpuLimitMsPerMb: number;
  /** How long a process that has nothing to read is kept: loading the libraries takes longer than reading most files. */
  readonly idleMs: number;
  /** Memory of the whole process, MiB. */
  readonly maxMemoryMb: number;
  /** Of these, for objects and strings of JavaScript, MiB. */
  readonly maxHeapMb: number;
  /** Characters and bytes that are taken from one file. */
  readonly maxAnswer: number;
  /** Path of another program than `reader-process.ts`, which answers the same messages. */
  readonly program?: string | undefined;
}

/** Files come from anybody: what reads them sees no secrets. */
const passedOn = ['PATH', 'HOME', 'TMPDIR', 'LANG'];

/**
 * A process that reads one file at a time. It starts with the first file and ends when it has been idle for a while. A file that takes too
 * long or too much memory is a `document-unreadable`, and the next one gets a new process.
 */
export class ReaderChild {
  readonly #options: ReaderChildOptions;
  #isClosed = false;
  #readingSince: number | undefined;
  #child: ChildProcess | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: ReaderChildOptions) {
    this.#options = options;
  }

  get isReading(): boolean {
    return this.#readingSince !== undefined;
  }

  /** Milliseconds that the present file has taken; 0 without one. */
  get readingMs(): number {
    return this.#readingSince === undefined ? 0 : performance.now() - this.#readingSince;
  }

  /** Reads a file while no other is being read. Asks a second process if the first one had ended before it got the file. */
  async read(file: FileToRead, signal: AbortSignal | undefined): Promise<DocumentContent> {
    clearTimeout(this.#idle);
    this.#readingSince = performance.now();
    try {
      return await this.#readOnce(file, signal).catch((error: unknown) => {
        if (error instanceof NotSent) return this.#readOnce(file, signal);
        throw error;
      });
    } finally {
      this.#readingSince = undefined;
      this.#idle = setTimeout(() => void this.#stop(), this.#options.idleMs).unref();
    }
  }

  /** Ends the process. What is being read is rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#stop();
  }

  async #readOnce(file: FileToRead, signal: AbortSignal | undefined): Promise<DocumentContent> {
    const child = await this.#started();
    signal?.throwIfAborted();
    if (this.#isClosed) throw closed();
    const { maxAnswer, cpuLimitMs, cpuLimitMsPerMb } = this.#options;
    const request = {
      file,
      maxAnswer,
      cpuMs: cpuLimitMs + (cpuLimitMsPerMb * file.bytes.length) / 1_000_000,
    };
    hold(child, true);
    try {
      const answer = await this.#ask(child, request, signal);
      if (answer.kind === 'content') return answer.content;
      throw new Problem(answer.code, answer.detail);
    } finally {
      hold(child, false);
    }
  }

  /** Rejects, and ends the process, if it gives no answer. */
  #ask(child: ChildProcess, request: ReadRequest, signal: AbortSignal | undefined): Promise<ReadAnswer> {
    const ending = new AbortController();
    return new Promise<ReadAnswer>((resolve, reject) => {
      const giveUp = (error: unknown): void => {
        reject(error);
        void this.#stop();
      };
      const { timeLimitMs } = this.#options;
      const timer = setTimeout(
        () =>
          giveUp(
            new Problem('document-unreadable', `reading it took more than ${timeLimitMs / 1_000} seconds`),
          ),
        timeLimitMs,
      );
      const onExit = (code: number | null, by: NodeJS.Signals | null): void =>
        giveUp(this.#endOf(code, by, request));
      ending.signal.addEventListener('abort', () => {
        clearTimeout(timer);
        child.off('message', resolve).off('exit', onExit).off('error', giveUp);
      });
      child.once('message', resolve).once('exit', onExit).once('error', giveUp);
      signal?.addEventListener('abort', () => giveUp(signal.reason), { signal: ending.signal });
      child.send(request, (error) => {
        if (error !== null) giveUp(new NotSent('the process cannot be reached', { cause: error }));
      });
    }).finally(() => ending.abort());
  }

  /** Signals of `reader-process.ts` and of V8 for a lack of memory; anything else is a crash, or somebody has ended it. */
  #endOf(code: number | null, by: NodeJS.Signals | null, { cpuMs }: ReadRequest): Error {
    if (this.#isClosed) return closed();
    if (by === 'SIGALRM') {
      const seconds = Math.round(cpuMs / 1_000);
      return new Problem('document-unreadable', `reading it took more than ${seconds} seconds of computing`);
    }
    const { maxMemoryMb, maxHeapMb } = this.#options;
    const isHeap = by === 'SIGABRT' || by === 'SIGTRAP' || code === 134;
    if (!isHeap && by !== 'SIGUSR2') {
      return new Problem('document-unreadable', 'the process that read it ended unexpectedly');
    }
    const limit = isHeap ? maxHeapMb : maxMemoryMb;
    return new Problem('document-unreadable', `reading it took more memory than ${limit} MB`);
  }

  async #started(): Promise<ChildProcess> {
    if (this.#child) return this.#child;
    const program = this.#options.program ?? (await entryFile('document-reader'));
    const { maxMemoryMb, maxHeapMb } = this.#options;
    const child = fork(program, [String(maxMemoryMb * 1024 * 1024)], {
      execArgv: [`--max-old-space-size=${maxHeapMb}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: Object.fromEntries(
        passedOn.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
      ),
    });
    this.#child = child;
    // Also for a process that cannot be started, or that a message cannot be sent to.
    child.on('error', () => void this.#stop());
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined;
    });
    return child;
  }

  async #stop(): Promise<void> {
    clearTimeout(this.#idle);
    const child = this.#child;
    this.#child = undefined;
    if (!child || !isRunning(child) || child.pid === undefined) return;
    const ended = once(child, 'exit').catch(() => {});
    child.kill('SIGKILL');
    await ended;
  }
}

/** The process has not got the file, so that the file is not why it ended. */
class NotSent extends Error {}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** A process that has nothing to read does not keep the server from ending. */
function hold(child: ChildProcess, isReading: boolean): void {
  if (isReading) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}

export function closed(): Error {
  return new Error('the reader of documents is closed');
}
