import type { DocumentContent } from '../../domain/documents/content.ts';
import { Problem } from '../../domain/problems.ts';
import type { DocumentReader, FileToRead, ReadOptions } from '../../ports/document-reader.ts';
import { closed, ReaderChild, type ReaderChildOptions } from './reader-child.ts';

export interface ChildReaderOptions extends Partial<ReaderChildOptions> {
  /** Processes that read at the same time. All but the first are for files that wait behind slow ones. */
  readonly processes?: number;
  /** How long a file may take until the others no longer wait for it. */
  readonly slowMs?: number;
  /** Bytes of all files that may wait. One always may. */
  readonly maxWaitingBytes?: number;
}

const defaults = {
  timeLimitMs: 120_000,
  cpuLimitMs: 30_000,
  cpuLimitMsPerMb: 1_500,
  idleMs: 60_000,
  maxMemoryMb: 1_024,
  maxHeapMb: 512,
  maxAnswer: 64 * 1024 * 1024,
  processes: 2,
  slowMs: 1_000,
  maxWaitingBytes: 256 * 1024 * 1024,
};

interface Job {
  readonly file: FileToRead;
  readonly signal: AbortSignal | undefined;
  readonly tenant: string | undefined;
  readonly resolve: (content: DocumentContent) => void;
  readonly reject: (error: unknown) => void;
  readonly leaveQueue: () => void;
}

/**
 * Reads files in processes of their own, so that no file can stall or crash the server. One process reads one file after the other; a
 * second one helps while the first is busy with a slow file.
 */
export class ChildReader implements DocumentReader {
  readonly #options: typeof defaults & Pick<ReaderChildOptions, 'program'>;
  readonly #children: ReaderChild[] = [];
  readonly #reading: Job[] = [];
  #queue: Job[] = [];
  #lastTenant: string | undefined;
  #isClosed = false;
  #later: NodeJS.Timeout | undefined;

  constructor(options: ChildReaderOptions = {}) {
    this.#options = { ...defaults, ...options };
  }

  read(file: FileToRead, { signal, tenant }: ReadOptions = {}): Promise<DocumentContent> {
    return new Promise((resolve, reject) => {
      const leaveQueue = (): void => this.#leaveQueue(job, signal?.reason);
      const job: Job = { file, signal, tenant, resolve, reject, leaveQueue };
      if (signal?.aborted === true) return reject(signal.reason);
      if (this.#isClosed) return reject(closed());
      if (this.#isFull(file)) return reject(tooMany(this.#queue.length));
      this.#queue.push(job);
      signal?.addEventListener('abort', job.leaveQueue);
      this.#readNext();
    });
  }

  /** Ends the processes. What has not been read is rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#later);
    const waiting = this.#queue;
    this.#queue = [];
    for (const job of waiting) job.reject(closed());
    await Promise.all(this.#children.map((child) => child.close()));
  }

  #isFull({ bytes }: FileToRead): boolean {
    if (this.#queue.length === 0) return false;
    const waiting = this.#queue.reduce((sum, { file }) => sum + file.bytes.length, 0);
    return waiting + bytes.length > this.#options.maxWaitingBytes;
  }

  #leaveQueue(job: Job, reason: unknown): void {
    if (!this.#queue.includes(job)) return;
    this.#queue = this.#queue.filter((other) => other !== job);
    job.reject(reason);
  }

  #readNext(): void {
    while (this.#queue.length > 0) {
      const child = this.#children.find(({ isReading }) => !isReading) ?? this.#another();
      if (!child) return;
      const job = this.#take();
      job.signal?.removeEventListener('abort', job.leaveQueue);
      this.#reading.push(job);
      void child
        .read(job.file, job.signal)
        .then(job.resolve, job.reject)
        .finally(() => {
          this.#reading.splice(this.#reading.indexOf(job), 1);
          this.#readNext();
        });
    }
  }

  /** The first file of a tenant that has none being read and was not the last to have one, if there is such a file. */
  #take(): Job {
    const others = (job: Job): boolean => this.#reading.every(({ tenant }) => tenant !== job.tenant);
    const job =
      this.#queue.find((each) => others(each) && each.tenant !== this.#lastTenant) ??
      this.#queue.find(others) ??
      this.#queue[0]!;
    this.#queue.splice(this.#queue.indexOf(job), 1);
    this.#lastTenant = job.tenant;
    return job;
  }

  /** A further process if all others are busy with slow files; otherwise looks again when they may be. */
  #another(): ReaderChild | undefined {
    const { processes, slowMs } = this.#options;
    if (this.#isClosed || this.#children.length >= processes) return undefined;
    const leastMs = Math.min(...this.#children.map(({ readingMs }) => readingMs));
    if (leastMs < slowMs) {
      clearTimeout(this.#later);
      this.#later = setTimeout(() => this.#readNext(), slowMs - leastMs + 1).unref();
      return undefined;
    }
    const child = new ReaderChild(this.#options);
    this.#children.push(child);
    return child;
  }
}

function tooMany(waiting: number): Problem {
  return new Problem('overloaded', `${waiting} ${waiting === 1 ? 'file waits' : 'files wait'} to be read`, {
    retryAfter: 5,
  });
}
