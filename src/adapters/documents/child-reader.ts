import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { DocumentContent } from '../../domain/documents/content.ts';
import { Problem } from '../../domain/problems.ts';
import type { DocumentReader, FileToRead } from '../../ports/document-reader.ts';
import { entryFile } from '../worker-entry.ts';
import type { ReadAnswer, ReadRequest } from './reader-process.ts';

export interface ChildReaderOptions {
  /** How long reading one file may take. */
  readonly timeLimitMs?: number;
  /** How long a process that has nothing to read is kept: loading the libraries takes longer than reading most files. */
  readonly idleMs?: number;
  /** Memory of the whole process, MiB. */
  readonly maxMemoryMb?: number;
  /** Of these, for objects and strings of JavaScript, MiB. */
  readonly maxHeapMb?: number;
  /** Characters and bytes that are taken from one file. */
  readonly maxAnswer?: number;
  /** Path of another program than `reader-process.ts`, which answers the same messages. */
  readonly program?: string;
}

const defaults = {
  timeLimitMs: 120_000,
  idleMs: 60_000,
  maxMemoryMb: 1_024,
  maxHeapMb: 512,
  maxAnswer: 64 * 1024 * 1024,
};
/** Files come from anybody: what reads them sees no secrets. */
const passedOn = ['PATH', 'HOME', 'TMPDIR', 'LANG'];

interface Job {
  readonly file: FileToRead;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (content: DocumentContent) => void;
  readonly reject: (error: unknown) => void;
  readonly leaveQueue: () => void;
}

/**
 * Reads files in a process of its own, one at a time, so that no file can stall or crash the server. The process starts with the
 * first file. A file that takes too long or too much memory is a `document-unreadable`, and the next one gets a new process.
 */
export class ChildReader implements DocumentReader {
  readonly #options: Required<Omit<ChildReaderOptions, 'program'>>;
  readonly #program: string | undefined;
  #queue: Job[] = [];
  #isReading = false;
  #isClosed = false;
  #child: ChildProcess | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor({ program, ...options }: ChildReaderOptions = {}) {
    this.#options = { ...defaults, ...options };
    this.#program = program;
  }

  read(file: FileToRead, signal?: AbortSignal): Promise<DocumentContent> {
    return new Promise((resolve, reject) => {
      const leaveQueue = (): void => this.#leaveQueue(job, signal?.reason);
      const job: Job = { file, signal, resolve, reject, leaveQueue };
      if (signal?.aborted === true || this.#isClosed) {
        reject(signal?.aborted === true ? signal.reason : closed());
        return;
      }
      this.#queue.push(job);
      signal?.addEventListener('abort', job.leaveQueue);
      void this.#readQueue();
    });
  }

  /** Ends the process. What has not been read is rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const waiting = this.#queue;
    this.#queue = [];
    for (const job of waiting) job.reject(closed());
    await this.#stop();
  }

  #leaveQueue(job: Job, reason: unknown): void {
    if (!this.#queue.includes(job)) return;
    this.#queue = this.#queue.filter((other) => other !== job);
    job.reject(reason);
  }

  async #readQueue(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    clearTimeout(this.#idle);
    for (let job = this.#queue.shift(); job !== undefined; job = this.#queue.shift()) {
      job.signal?.removeEventListener('abort', job.leaveQueue);
      await this.#answer(job).then(job.resolve, job.reject);
    }
    this.#isReading = false;
    this.#idle = setTimeout(() => void this.#stop(), this.#options.idleMs).unref();
  }

  /** Asks a second process if the first one had ended before it got the file. */
  async #answer(job: Job): Promise<DocumentContent> {
    try {
      return await this.#answerOnce(job);
    } catch (error) {
      if (error instanceof NotSent) return this.#answerOnce(job);
      throw error;
    }
  }

  async #answerOnce({ file, signal }: Job): Promise<DocumentContent> {
    const child = await this.#started();
    signal?.throwIfAborted();
    if (this.#isClosed) throw closed();
    hold(child, true);
    try {
      const answer = await this.#ask(child, { file, maxAnswer: this.#options.maxAnswer }, signal);
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
      const onExit = (code: number | null, by: NodeJS.Signals | null): void => giveUp(this.#endOf(code, by));
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
  #endOf(code: number | null, by: NodeJS.Signals | null): Error {
    if (this.#isClosed) return closed();
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
    const program = this.#program ?? (await entryFile('document-reader'));
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

function closed(): Error {
  return new Error('the reader of documents is closed');
}
