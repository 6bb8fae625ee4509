import { existsSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { DurableNodeFS } from './durable-fs.ts';
import { extensions } from './extensions.ts';
import { SeededMemoryFS } from './memory-fs.ts';
import { PreparedStatements } from './prepared.ts';
import type { EngineData, EngineNotice, EngineResult } from './protocol.ts';
import { Reply } from './reply.ts';
import { startParams } from './settings.ts';
import { createCluster, withTemplate } from './template.ts';
import { scriptMessage, statementMessage } from './wire.ts';
import { changesTables } from '../sql/statements.ts';
import type { WireValue } from '../sql/values.ts';

type Filesystem = DurableNodeFS | SeededMemoryFS;

export interface EngineListeners {
  notified(channel: string): void;
  noticed(notice: EngineNotice): void;
  /** PostgreSQL ended itself (PANIC, FATAL, out of memory): the thread must end before it runs another instruction. */
  died(reason: string, code: string | undefined): never;
}

const nothing: EngineResult = { columns: [], rows: [], tag: '' };

/** PostgreSQL in this thread. Every call blocks the thread until its answer is there. */
export class Engine {
  readonly #database: PGlite;
  readonly #reply: Reply;
  readonly #prepared = new PreparedStatements();

  private constructor(database: PGlite, listeners: EngineListeners) {
    this.#database = database;
    this.#reply = new Reply(listeners);
  }

  static async open(data: EngineData, listeners: EngineListeners): Promise<Engine> {
    const { cluster, packageRoot } = data;
    if (cluster === undefined)
      return withTemplate(packageRoot, (template) =>
        Engine.#start(new SeededMemoryFS(template), false, listeners),
      );
    if (!existsSync(cluster)) await createCluster(cluster, packageRoot);
    return Engine.#start(new DurableNodeFS(cluster), true, listeners);
  }

  static async #start(fs: Filesystem, durable: boolean, listeners: EngineListeners): Promise<Engine> {
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
      startParams: startParams(durable),
      onStderr: (line) => log.add(line),
    }).catch((error: unknown) => listeners.died(log.reason(String(error)), log.code()));
    endOnUnknownException(database, (error) => listeners.died(log.reason(String(error)), log.code()));
    return new Engine(database, listeners);
  }

  get inTransaction(): boolean {
    return this.#database.isInTransaction();
  }

  /** One statement, in one protocol exchange, with `begin` before and a commit after it if given. */
  async statement(text: string, params: readonly WireValue[], begin?: string): Promise<EngineResult> {
    const message = statementMessage(text, params);
    const whole =
      begin === undefined ? message : Buffer.concat([scriptMessage(begin), message, scriptMessage('commit')]);
    const result = await this.#exchange(whole);
    this.#forgetAfter(text);
    return result;
  }

  /** One statement that comes again and again, by the plan that was made for it. */
  async prepared(text: string, params: readonly WireValue[]): Promise<EngineResult> {
    try {
      return await this.#exchange(this.#prepared.execution(text, params));
    } catch (error) {
      this.#prepared.failed(text);
      throw error;
    }
  }

  /** Statements without parameters; answers the last one. */
  async script(statements: readonly string[]): Promise<EngineResult> {
    let last = nothing;
    for (const statement of statements) {
      last = await this.#exchange(scriptMessage(statement));
      this.#forgetAfter(statement);
    }
    return last;
  }

  /** A plan of a table that has other columns now would fail. */
  #forgetAfter(statement: string): void {
    if (changesTables(statement)) this.#prepared.forget();
  }

  async close(): Promise<EngineResult> {
    await this.#database.close();
    return nothing;
  }

  async #exchange(message: Uint8Array): Promise<EngineResult> {
    this.#reply.forget();
    await this.#database.execProtocolRawStream(message, {
      syncToFs: false,
      onRawData: (piece) => this.#reply.take(piece),
    });
    return this.#reply.read();
  }
}

/** What PGlite throws for PostgreSQL's own errors, after which it goes on (`POSTGRES_MAIN_LONGJMP`). */
const databaseErrorStatus = 100;
const mainLoop = '_PostgresMainLoopOnce';

/** PGlite takes every other exception, a stack overflow say, for nothing, and runs on in a state that nobody knows. */
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

/** The last lines that PostgreSQL wrote to its log: the reason of its end is among them. */
class LogTail {
  readonly #lines: string[] = [];

  add(line: string): false {
    this.#lines.push(line);
    if (this.#lines.length > 50) this.#lines.shift();
    return false;
  }

  /** What PostgreSQL said, or where it said nothing the exception that ended it. */
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
