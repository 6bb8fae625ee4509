import { statfs } from 'node:fs/promises';
import type { EventLog } from '../../ports/event-log.ts';
import { SqlError } from '../sql/error.ts';

/** PostgreSQL exits if it cannot create the next 16 MB segment of its write-ahead log. Leaves room for several segments. */
const reserveBytes = 64 * 2 ** 20;
const freshForMs = 200;

/**
 * Wraps `log` so that appends are refused (SQLSTATE 53100, disk full) while the disk of `directory` has less space than
 * PostgreSQL needs. So writes fail with an error and reads remain possible, instead of PostgreSQL exiting.
 */
export function withHeadroom(log: EventLog, directory: string): EventLog {
  let asked = -Infinity;
  let free = Promise.resolve(Infinity);
  const freeBytes = (): Promise<number> => {
    if (performance.now() - asked < freshForMs) return free;
    asked = performance.now();
    free = statfs(directory).then(
      ({ bavail, bsize }) => bavail * bsize,
      () => Infinity,
    );
    return free;
  };
  return {
    logId: log.logId,
    takesKeys: log.takesKeys,
    takesClaims: log.takesClaims,
    async append(stream, ...rest) {
      if ((await freeBytes()) < reserveBytes)
        throw new SqlError({ code: '53100', message: `less than ${reserveBytes} bytes are free` });
      return log.append(stream, ...rest);
    },
    readStream: (stream, options) => log.readStream(stream, options),
    readAll: (options) => log.readAll(options),
    head: () => log.head(),
    positionAt: (time) => log.positionAt(time),
    subscribe: (options) => log.subscribe(options),
    close: () => log.close(),
  };
}
