import { isInBackground } from '../../support/background.ts';
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
import { toWire } from '../sql/values.ts';
import { EngineThread } from './engine-thread.ts';
import type { EngineData, EngineNotice, EngineRequest, EngineResult } from './protocol.ts';
import { Turnstile } from './turnstile.ts';

const firstRestartMs = 250;
const longestRestartMs = 30_000;

const closed = (): SqlUnavailable => new SqlUnavailable('the database was closed');

/** PostgreSQL in a worker thread: one connection, on which transactions and statements take turns. */
export class PgliteSql implements Sql {
  readonly connections = 1;
  readonly #data: EngineData;
  readonly #noticed: (notice: EngineNotice) => void;
  readonly #released: () => Promise<void>;
  readonly #turnstile = new Turnstile();
  readonly #nesting = new NestingGuard();
  readonly #handlers = new Map<string, Set<(missed: boolean) => void>>();
  #thread: EngineThread | SqlUnavailable = new SqlUnavailable('the database is starting');
  #restart: NodeJS.Timeout | undefined;
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

  /** `released` runs when the thread has ended after `close`. */
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
    const { rows } = await this.#pass({ kind, text, params: params.map(toWire) });
    return rows as R[];
  }

  async queryAs<R = Row>(tenant: string, text: string, params: readonly SqlValue[] = []): Promise<R[]> {
    const begin = beginScript({ tenant, readOnly: true });
    const { rows } = await this.#pass({ kind: 'statement', text, params: params.map(toWire), begin });
    return rows as R[];
  }

  async transaction<T>(body: (tx: SqlExecutor) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    this.#nesting.check();
    this.#refuseClosed();
    await new Promise<void>((resolve) =>
      isInBackground() ? this.#turnstile.holdInBackground(resolve) : this.#turnstile.hold(resolve),
    );
    return new OpenTransaction(this.#running(), this.#turnstile, options).run(body, this.#nesting);
  }

  async execute(script: string): Promise<void> {
    await this.#pass({ kind: 'script', statements: splitStatements(script) });
  }

  async listen(channel: string, handler: (missed: boolean) => void): Promise<() => Promise<void>> {
    // An object of its own a call: the same function may be registered twice.
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

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    clearTimeout(this.#restart);
    await this.#starting.catch(() => {});
    await new Promise<void>((resolve) => this.#turnstile.hold(resolve));
    const thread = this.#thread;
    this.#thread = closed();
    this.#turnstile.release();
    if (thread instanceof EngineThread) await thread.close();
    await this.#released();
  }

  /** Sends a request that stands for itself. The message goes out before this returns where nothing holds it up. */
  async #pass(request: EngineRequest): Promise<EngineResult> {
    this.#nesting.check();
    this.#refuseClosed();
    // Of who asks: what lets it pass may be another's end.
    const background = isInBackground();
    return new Promise((resolve, reject) => {
      this.#turnstile.pass(background, () => {
        if (!(this.#thread instanceof EngineThread)) return Promise.resolve(reject(this.#thread));
        return this.#thread.request(request, background).then(resolve, reject);
      });
    });
  }

  #running(): EngineThread {
    if (this.#thread instanceof EngineThread) return this.#thread;
    this.#turnstile.release();
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

  /** What is on disk survives a crash of the thread, so a new one takes over; what was in memory is lost. */
  #died(reason: SqlUnavailable): void {
    this.#thread = reason;
    this.#noticed({ severity: 'PANIC', message: reason.message });
    if (this.#data.cluster !== undefined) this.#restartIn(firstRestartMs);
  }

  #restartIn(ms: number): void {
    if (this.#closed) return;
    this.#restart = setTimeout(() => {
      this.#starting = this.#startThread();
      this.#starting.catch((error: unknown) => {
        if (error instanceof SqlUnavailable) this.#thread = error;
        this.#restartIn(Math.min(ms * 2, longestRestartMs));
      });
    }, ms);
  }

  #wake(channel: string, missed = false): void {
    for (const handler of this.#handlers.get(channel) ?? []) handler(missed);
  }
}

/** Holds the turnstile from its begin to its commit or rollback. */
class OpenTransaction implements SqlExecutor {
  readonly #thread: EngineThread;
  readonly #turnstile: Turnstile;
  readonly #begun: Promise<EngineResult>;
  readonly #onePlan: boolean;
  #over = false;

  constructor(thread: EngineThread, turnstile: Turnstile, options: TransactionOptions) {
    this.#thread = thread;
    this.#turnstile = turnstile;
    this.#onePlan = options.onePlan ?? false;
    // Not awaited: the first statement follows it in the same breath, and fails where this fails.
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
    const { rows } = await this.#thread.request({ kind, text, params: params.map(toWire) });
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

  /** Whoever waits gets in as soon as the message is sent: the thread keeps the order. */
  #end(statement: 'commit' | 'rollback'): Promise<EngineResult> {
    this.#over = true;
    const ended = this.#thread.request({ kind: 'script', statements: [statement] });
    this.#turnstile.release();
    return ended;
  }
}
