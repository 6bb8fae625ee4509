import { statfs } from 'node:fs/promises';
import type { EventLog } from '../../ports/event-log.ts';
import type { Sql } from '../../ports/sql.ts';
import { isInBackground } from '../../support/background.ts';
import { SqlError } from '../sql/error.ts';

/** PostgreSQL exits if it cannot create the next 16 MB segment of its write-ahead log. Leaves room for several segments. */
const reserveBytes = 64 * 2 ** 20;
/** Read models may use half of the reserve for what the log already holds. */
const backgroundReserveBytes = reserveBytes / 2;
const freshForMs = 200;

/** Space on the disk of a folder that this user may fill. */
export async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

/**
 * Refuses writes (SQLSTATE 53100, disk full) while the disk of `directory` has less space than PostgreSQL needs. So writes
 * fail with an error and reads remain possible, instead of PostgreSQL exiting.
 */
export class Headroom {
  readonly #directory: string;
  #asked = -Infinity;
  #free = Promise.resolve(Infinity);

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** `log` without appends while less than 64 MB are free. */
  log(log: EventLog): EventLog {
    return {
      logId: log.logId,
      takesKeys: log.takesKeys,
      takesClaims: log.takesClaims,
      append: async (stream, ...rest) => {
        await this.#require(reserveBytes);
        return log.append(stream, ...rest);
      },
      readStream: (stream, options) => log.readStream(stream, options),
      readAll: (options) => log.readAll(options),
      ...(log.faultyRow && { faultyRow: () => log.faultyRow!() }),
      head: () => log.head(),
      positionAt: (time) => log.positionAt(time),
      subscribe: (options) => log.subscribe(options),
      close: () => log.close(),
    };
  }

  /** `sql` without the transactions of read models and other background work while less than 32 MB are free. They try again. */
  sql(sql: Sql): Sql {
    return {
      connections: sql.connections,
      transaction: async (body, options) => {
        if (!options?.readOnly && isInBackground()) await this.#require(backgroundReserveBytes);
        return sql.transaction(body, options);
      },
      query: (...statement) => sql.query(...statement),
      queryAs: (...statement) => sql.queryAs(...statement),
      execute: (script) => sql.execute(script),
      listen: (channel, handler) => sql.listen(channel, handler),
      ...(sql.clearLog && { clearLog: () => sql.clearLog!() }),
      close: () => sql.close(),
    };
  }

  async #require(bytes: number): Promise<void> {
    if ((await this.#freeBytes()) < bytes)
      throw new SqlError({ code: '53100', message: `less than ${bytes} bytes are free` });
  }

  #freeBytes(): Promise<number> {
    if (performance.now() - this.#asked < freshForMs) return this.#free;
    this.#asked = performance.now();
    this.#free = freeBytes(this.#directory).catch(() => Infinity);
    return this.#free;
  }
}
