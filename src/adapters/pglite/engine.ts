import { existsSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { clusterBytes } from './cluster-size.ts';
import { DurableNodeFS } from './durable-fs.ts';
import { extensions } from './extensions.ts';
import { SeededMemoryFS } from './memory-fs.ts';
import { overwriteSpareSegments } from './old-segments.ts';
import { ReplyBuffer } from './reply-buffer.ts';
import { PreparedStatements } from './prepared.ts';
import type { EngineNotice, EngineResult, WorkerData } from './protocol.ts';
import { holdsError, readReply } from './reply.ts';
import { startParams } from './settings.ts';
import { createCluster, withTemplate } from './template.ts';
import { scriptMessage, statementMessage } from './wire.ts';
import { changesTables } from '../sql/statements.ts';
import type { WireValue } from '../sql/values.ts';

type Filesystem = DurableNodeFS | SeededMemoryFS;

export interface EngineListeners {
  notified(channel: string): void;
  noticed(notice: EngineNotice): void;
  /** PostgreSQL exited (PANIC, FATAL, out of memory): the thread must end before it runs another instruction. */
  died(reason: string, code: string | undefined): never;
}

/**
 * PostgreSQL in this thread. Every call blocks the thread until the reply is complete. The reply consists of PostgreSQL's
 * messages, including errors, and is valid until the next call.
 */
export class Engine {
  readonly #database: PGlite;
  readonly #listeners: EngineListeners;
  readonly #reply = new ReplyBuffer();
  readonly #prepared = new PreparedStatements();

  /** PostgreSQL's folder; undefined for a database in memory. */
  readonly #cluster: string | undefined;

  private constructor(database: PGlite, listeners: EngineListeners, cluster: string | undefined) {
    this.#database = database;
    this.#listeners = listeners;
    this.#cluster = cluster;
  }

  static async open(data: WorkerData, listeners: EngineListeners): Promise<Engine> {
    const { cluster, packageRoot, postgres } = data;
    if (cluster === undefined)
      return withTemplate(packageRoot, (template) =>
        Engine.#start(new SeededMemoryFS(template), startParams(), postgres, listeners, undefined),
      );
    if (!existsSync(cluster)) await createCluster(cluster, packageRoot);
    const params = startParams(clusterBytes(cluster));
    return Engine.#start(new DurableNodeFS(cluster), params, postgres, listeners, cluster);
  }

  static async #start(
    fs: Filesystem,
    startParams: string[],
    postgres: WebAssembly.Module,
    listeners: EngineListeners,
    cluster: string | undefined,
  ): Promise<Engine> {
    const log = new LogTail();
    const init = fs.init.bind(fs);
    fs.init = async (pg, options) => {
      const result = await init(pg, options);
      const died = (): never => listeners.died(log.reason(), log.code());
      Object.assign(result.emscriptenOpts, { onAbort: died, onExit: died });
      return result;
    };
    const database = await PGlite.create({
      fs,
      extensions,
      startParams,
      pgliteWasmModule: postgres,
      onStderr: (line) => log.add(line),
    }).catch((error: unknown) => listeners.died(log.reason(String(error)), log.code()));
    endOnUnknownException(database, (error) => listeners.died(log.reason(String(error)), log.code()));
    return new Engine(database, listeners, cluster);
  }

  get inTransaction(): boolean {
    return this.#database.isInTransaction();
  }

  /** Runs one statement in one protocol exchange, between `begin` and a commit if `begin` is given. */
  async statement(text: string, params: readonly WireValue[], begin?: string): Promise<Buffer> {
    const message = statementMessage(text, params);
    const whole =
      begin === undefined ? message : Buffer.concat([scriptMessage(begin), message, scriptMessage('commit')]);
    const reply = await this.#exchange(whole);
    this.#forgetAfter(text);
    return reply;
  }

  /** Runs a frequent statement with its cached plan. */
  async prepared(text: string, params: readonly WireValue[]): Promise<Buffer> {
    let done = false;
    try {
      const reply = await this.#exchange(this.#prepared.execution(text, params));
      done = !holdsError(reply);
      return reply;
    } finally {
      if (!done) this.#prepared.failed(text);
    }
  }

  /** Runs statements without parameters, up to the first that fails. */
  async script(statements: readonly string[]): Promise<Buffer> {
    this.#reply.clear();
    for (const statement of statements) {
      await this.#send(scriptMessage(statement));
      this.#forgetAfter(statement);
      if (holdsError(this.#reply.content)) break;
    }
    return this.#reply.content;
  }

  /** Like `script`, but returns the decoded reply. */
  async run(statements: readonly string[]): Promise<EngineResult> {
    return readReply(await this.script(statements), this.#listeners);
  }

  /** Drops the plans after a change of tables: a plan for other columns would fail. */
  #forgetAfter(statement: string): void {
    if (changesTables(statement)) this.#prepared.forget();
  }

  /**
   * Leaves no byte in the write-ahead log of what was written before: moves on to a fresh segment, makes the ones before unnecessary by a
   * checkpoint, and overwrites them. Does nothing for a database in memory.
   */
  async clearLog(): Promise<void> {
    if (this.#cluster === undefined) return;
    // The first round clears the segment that the second one moves to.
    for (let round = 0; round < 2; round++) {
      await this.run([...(round === 0 ? [] : ['select pg_switch_wal()']), 'checkpoint']);
      const { rows } = await this.run(['select pg_walfile_name(pg_current_wal_insert_lsn()) as name']);
      overwriteSpareSegments(this.#cluster, String(rows[0]!['name']));
    }
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  async #exchange(message: Uint8Array): Promise<Buffer> {
    this.#reply.clear();
    await this.#send(message);
    return this.#reply.content;
  }

  async #send(message: Uint8Array): Promise<void> {
    await this.#database.execProtocolRawStream(message, {
      syncToFs: false,
      onRawData: (piece) => this.#reply.append(piece),
    });
  }
}

/** Status of the exception that PGlite throws for PostgreSQL's own errors, after which it continues (`POSTGRES_MAIN_LONGJMP`). */
const databaseErrorStatus = 100;
const mainLoop = '_PostgresMainLoopOnce';

/** Ends the thread after other exceptions, such as a stack overflow. PGlite ignores them and would continue in an undefined state. */
function endOnUnknownException(database: PGlite, died: (error: unknown) => never): void {
  const module: { [mainLoop]: () => void } = database.Module;
  const { [mainLoop]: step } = module;
  module[mainLoop] = () => {
    try {
      step();
    } catch (error) {
      if ((error as { status?: unknown }).status !== databaseErrorStatus) died(error);
      throw error;
    }
  };
}

/** The last lines of PostgreSQL's log, which contain the reason if it exits. */
class LogTail {
  readonly #lines: string[] = [];

  add(line: string): false {
    this.#lines.push(line);
    if (this.#lines.length > 50) this.#lines.shift();
    return false;
  }

  /** PostgreSQL's last PANIC or FATAL message, or `exception` if there is none. */
  reason(exception?: string): string {
    const grave = this.#lines.findLast((line) => /\b(PANIC|FATAL): {2}/.test(line));
    return (
      grave?.replace(/^.*?\b(?:PANIC|FATAL): {2}/, '') ?? exception ?? this.#lines.at(-1) ?? 'no reason given'
    );
  }

  code(): string | undefined {
    return /No space left on device|Disk quota exceeded/.test(this.reason()) ? '53100' : undefined;
  }
}
