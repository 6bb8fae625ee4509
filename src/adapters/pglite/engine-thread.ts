import type { Worker } from 'node:worker_threads';
import { isInBackground } from '../../support/background.ts';
import { SqlUnavailable } from '../../ports/sql.ts';
import { SqlError } from '../sql/error.ts';
import { startWorker } from '../worker-entry.ts';
import { compiledPostgres } from './compiled-postgres.ts';
import type {
  EngineData,
  EngineEvent,
  EngineMessage,
  EngineNotice,
  EngineRequest,
  EngineResult,
  WorkerData,
} from './protocol.ts';
import { readReply } from './reply.ts';

export interface ThreadListeners {
  notified(channel: string): void;
  noticed(notice: EngineNotice): void;
  /** The thread has ended without `close`. All further requests are rejected with `reason`. */
  died(reason: SqlUnavailable): void;
}

interface Waiting {
  resolve(result: EngineResult): void;
  reject(error: Error): void;
}

/** Large enough that PostgreSQL reaches its own `max_stack_depth` first, so that only the statement that recurses too deeply fails. */
const resourceLimits = { stackSizeMb: 128 };

/** One run of the worker thread with PostgreSQL in it. Requests are answered in the order in which they are made. */
export class EngineThread {
  readonly #worker: Worker;
  readonly #listeners: ThreadListeners;
  readonly #waiting = new Map<number, Waiting>();
  readonly #ready: Promise<void>;
  readonly #exited: Promise<void>;
  #lastId = 0;
  #closing = false;
  #end: SqlUnavailable | undefined;

  private constructor(worker: Worker, listeners: ThreadListeners) {
    this.#worker = worker;
    this.#listeners = listeners;
    this.#ready = new Promise((resolve, reject) =>
      this.#waiting.set(0, { resolve: () => resolve(), reject }),
    );
    this.#exited = new Promise((resolve) => worker.once('exit', () => resolve()));
    worker.on('message', (event: EngineEvent) => this.#receive(event));
    worker.on('error', (error) =>
      this.#fail(new SqlUnavailable(`the database thread failed: ${error.message}`)),
    );
    worker.on('exit', () => this.#fail(new SqlUnavailable('the database thread ended')));
  }

  /** Resolves when PostgreSQL accepts statements. Rejects with `SqlUnavailable` if it does not start. */
  static async start(data: EngineData, listeners: ThreadListeners): Promise<EngineThread> {
    const thread = new EngineThread(
      await startWorker('pglite-worker', {
        workerData: { ...data, postgres: await compiledPostgres() } satisfies WorkerData,
        resourceLimits,
      }),
      listeners,
    );
    await thread.#ready;
    return thread;
  }

  async request(request: EngineRequest, background = isInBackground()): Promise<EngineResult> {
    if (this.#end) throw this.#end;
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, request, background } satisfies EngineMessage, []);
    });
  }

  /** Shuts PostgreSQL down after all requests made so far. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.request({ kind: 'close' }).catch(() => {});
    await this.#exited;
  }

  #receive(event: EngineEvent): void {
    switch (event.kind) {
      case 'ready':
        return this.#settle(0)?.resolve({ rows: [], tag: '' });
      case 'reply':
        return this.#read(event.id, event.reply);
      case 'failure':
        return this.#settle(event.id)?.reject(new SqlError(event.failure));
      case 'notification':
        return this.#listeners.notified(event.channel);
      case 'notice':
        return this.#listeners.noticed(event.notice);
      case 'stopped':
        return this.#fail(stopped(event.reason, event.code));
    }
  }

  #read(id: number, { buffer, byteOffset, length }: Uint8Array): void {
    const waiting = this.#settle(id);
    try {
      const result = readReply(Buffer.from(buffer, byteOffset, length), this.#listeners);
      waiting?.resolve(result);
    } catch (error) {
      waiting?.reject(error as Error);
    }
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  /** Ends the thread. Only the first reason counts: its end would report another one. */
  #fail(reason: SqlUnavailable): void {
    if (this.#end) return;
    this.#end = reason;
    const starting = this.#waiting.has(0);
    for (const waiting of this.#waiting.values()) waiting.reject(reason);
    this.#waiting.clear();
    void this.#worker.terminate();
    if (!this.#closing && !starting) void this.#exited.then(() => this.#listeners.died(reason));
  }
}

/** A full disk has the SQLSTATE 53100, as for a statement that fails because of it. */
function stopped(reason: string, code: string | undefined): SqlUnavailable {
  const error = new SqlUnavailable(
    code === '53100' ? `the disk is full: ${reason}` : `the database stopped: ${reason}`,
  );
  return code === undefined ? error : Object.assign(error, { code });
}
