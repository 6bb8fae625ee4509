import { isInBackground } from '../../support/background.ts';
import { Backoff } from '../../support/resilience/backoff.ts';
import {
  SqlUnavailable,
  type Row,
  type Sql,
  type SqlExecutor,
  type SqlValue,
  type StatementOptions,
  type TransactionOptions,
} from '../../ports/sql.ts';
import { beginScript, identifier } from '../sql/begin.ts';
import { abortedTransaction } from '../sql/error.ts';
import { NestingGuard } from '../sql/nesting.ts';
import { splitStatements } from '../sql/statements.ts';
import { toPgliteWire } from './wire-value.ts';
import { EngineThread } from './engine-thread.ts';
import type { EngineData, EngineNotice, EngineRequest, EngineResult } from './protocol.ts';
import { ConnectionScheduler } from './connection-scheduler.ts';

const restart = { firstMs: 250, longestMs: 30_000 };

const closed = (): SqlUnavailable => new SqlUnavailable('the database was closed');

/** PostgreSQL in a worker thread, with a single connection for all transactions and statements. */
export class PgliteSql implements Sql {
  readonly connections = 1;
  readonly #data: EngineData;
  readonly #noticed: (notice: EngineNotice) => void;
  readonly #released: () => Promise<void>;
  readonly #scheduler = new ConnectionScheduler();
  readonly #nesting = new NestingGuard();
  readonly #handlers = new Map<string, Set<(missed: boolean) => void>>();
  #thread: EngineThread | SqlUnavailable = new SqlUnavailable('the database is starting');
  readonly #closing = new AbortController();
  #starting: Promise<void> = Promise.resolve();
  #closed: Promise<void> | undefined;

  private constructor(
    data: EngineData,
    noticed: (notice: EngineNotice) => void,
    released: () => Promise<void>,
  ) {
    this.#data = data;
    this.#noticed = noticed;
    this.#released = released;
  }

  /** `released` is called when the thread has ended after `close`. */
  static async start(
    data: EngineData,
    noticed: (notice: EngineNotice) => void,
    released: () => Promise<void>,
  ): Promise<PgliteSql> {
    const sql = new PgliteSql(data, noticed, released);
    sql.#starting = sql.#startThread();
    await sql.#starting;
    return sql;
  }

  async query<R = Row>(
    text: string,
    params: readonly SqlValue[] = [],
    { onePlan = false }: StatementOptions = {},
  ): Promise<R[]> {
    const kind = onePlan ? 'prepared' : 'statement';
    const { rows } = await this.#send({ kind, text, params: params.map(toPgliteWire) });
    return rows as R[];
  }

  async queryAs<R = Row>(tenant: string, text: string, params: readonly SqlValue[] = []): Promise<R[]> {
    const begin = beginScript({ tenant, readOnly: true });
    const { rows } = await this.#send({ kind: 'statement', text, params: params.map(toPgliteWire), begin });
    return rows as R[];
  }

  async transaction<T>(body: (tx: SqlExecutor) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    this.#nesting.check();
    this.#refuseClosed();
    await new Promise<void>((resolve) =>
      isInBackground() ? this.#scheduler.acquireInBackground(resolve) : this.#scheduler.acquire(resolve),
    );
    return new OpenTransaction(this.#running(), this.#scheduler, options).run(body, this.#nesting);
  }

  async execute(script: string): Promise<void> {
    await this.#send({ kind: 'script', statements: splitStatements(script) });
  }

  async listen(channel: string, handler: (missed: boolean) => void): Promise<() => Promise<void>> {
    // A new function for each call, because the same handler may be registered twice.
    const own = (missed: boolean): void => handler(missed);
    const handlers = this.#handlers.get(channel) ?? new Set();
    this.#handlers.set(channel, handlers.add(own));
    await this.execute(`listen ${identifier(channel)}`);
    return async () => {
      if (!handlers.delete(own) || handlers.size > 0 || this.#closed) return;
      this.#handlers.delete(channel);
      await this.execute(`unlisten ${identifier(channel)}`);
    };
  }

  async clearLog(): Promise<void> {
    await this.#send({ kind: 'clear-log' });
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    await this.#starting.catch(() => {});
    await new Promise<void>((resolve) => this.#scheduler.acquire(resolve));
    const thread = this.#thread;
    this.#thread = closed();
    this.#scheduler.release();
    if (thread instanceof EngineThread) await thread.close();
    await this.#released();
  }

  /** Sends a request outside of transactions. If no transaction runs, the message is sent before this returns. */
  async #send(request: EngineRequest): Promise<EngineResult> {
    this.#nesting.check();
    this.#refuseClosed();
    // Determined here, because the end of another task may start this one, in that task's context.
    const background = isInBackground();
    return new Promise((resolve, reject) => {
      this.#scheduler.run(background, () => {
        if (!(this.#thread instanceof EngineThread)) return Promise.resolve(reject(this.#thread));
        return this.#thread.request(request, background).then(resolve, reject);
      });
    });
  }

  #running(): EngineThread {
    if (this.#thread instanceof EngineThread) return this.#thread;
    this.#scheduler.release();
    throw this.#thread;
  }

  #refuseClosed(): void {
    if (this.#closed) throw closed();
  }

  async #startThread(): Promise<void> {
    const thread = await EngineThread.start(this.#data, {
      notified: (channel) => this.#wake(channel),
      noticed: this.#noticed,
      died: (reason) => this.#died(reason),
    });
    this.#thread = thread;
    const statements = [...this.#handlers.keys()].map((channel) => `listen ${identifier(channel)}`);
    await thread.request({ kind: 'script', statements }).catch(() => {});
    for (const channel of this.#handlers.keys()) this.#wake(channel, true);
  }

  /** Replaces a crashed thread if the data is on disk. Data in memory is lost with the thread. */
  #died(reason: SqlUnavailable): void {
    this.#thread = reason;
    this.#noticed({ severity: 'PANIC', message: reason.message });
    if (this.#data.cluster !== undefined) void this.#restart();
  }

  async #restart(): Promise<void> {
    const { signal } = this.#closing;
    const backoff = new Backoff(restart);
    while (!signal.aborted) {
      await backoff.pause(signal);
      if (signal.aborted) return;
      this.#starting = this.#startThread();
      try {
        return await this.#starting;
      } catch (error) {
        if (error instanceof SqlUnavailable) this.#thread = error;
      }
    }
  }

  #wake(channel: string, missed = false): void {
    for (const handler of this.#handlers.get(channel) ?? []) handler(missed);
  }
}

/** A transaction, which has the connection from its begin to its commit or rollback. */
class OpenTransaction implements SqlExecutor {
  readonly #thread: EngineThread;
  readonly #scheduler: ConnectionScheduler;
  readonly #begun: Promise<EngineResult>;
  readonly #onePlan: boolean;
  #over = false;

  constructor(thread: EngineThread, scheduler: ConnectionScheduler, options: TransactionOptions) {
    this.#thread = thread;
    this.#scheduler = scheduler;
    this.#onePlan = options.onePlan ?? false;
    // Not awaited: the first statement is sent at once and fails if this fails.
    this.#begun = thread.request({ kind: 'script', statements: [beginScript(options)] });
    this.#begun.catch(() => {});
  }

  async query<R = Row>(
    text: string,
    params: readonly SqlValue[] = [],
    { onePlan = this.#onePlan }: StatementOptions = {},
  ): Promise<R[]> {
    if (this.#over) throw new Error('the transaction is over: its executor was used after its end');
    const kind = onePlan ? 'prepared' : 'statement';
    const { rows } = await this.#thread.request({ kind, text, params: params.map(toPgliteWire) });
    return rows as R[];
  }

  async run<T>(body: (tx: SqlExecutor) => Promise<T>, nesting: NestingGuard): Promise<T> {
    let result: T;
    try {
      result = await nesting.run(() => body(this));
    } catch (error) {
      await this.#end('rollback').catch(() => {});
      await this.#begun;
      throw error;
    }
    const { tag } = await this.#end('commit');
    await this.#begun;
    if (tag !== 'COMMIT') throw abortedTransaction();
    return result;
  }

  /** The next task may start as soon as the message is sent, because the thread keeps the order. */
  #end(statement: 'commit' | 'rollback'): Promise<EngineResult> {
    this.#over = true;
    const ended = this.#thread.request({ kind: 'script', statements: [statement] });
    this.#scheduler.release();
    return ended;
  }
}
