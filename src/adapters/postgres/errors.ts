import { DatabaseError } from 'pg';
import { SqlUnavailable } from '../../ports/sql.ts';
import { failureOf, SqlError } from '../sql/error.ts';

/** The server lacks something that this program needs. The message has the statements that an administrator must run. */
export class PostgresNotPrepared extends Error {
  override readonly name = 'PostgresNotPrepared';
}

/** SQLSTATEs of a temporarily unavailable server: connection errors, shutting down, starting, too many connections. */
const gone = /^(08...|57P0[1-5]|53300)$/;
/** Messages of `pg` for a lost connection, for which there is no code. */
const lost =
  /Connection terminated|connection error|not queryable|Connection ended|timeout exceeded when trying to connect|Query read timeout|after calling end/i;

/** Converts an error of the driver into `SqlUnavailable` or `SqlError`; returns others unchanged. */
export function translate(error: unknown): Error {
  if (error instanceof DatabaseError)
    return gone.test(error.code ?? '')
      ? unavailable(error)
      : new SqlError(failureOf(error), { cause: error });
  if (!(error instanceof Error)) return new Error(String(error));
  const { syscall } = error as NodeJS.ErrnoException;
  const connection = syscall !== undefined || error instanceof AggregateError || lost.test(error.message);
  return connection ? unavailable(error) : error;
}

function unavailable(error: Error): SqlUnavailable {
  const causes = error instanceof AggregateError ? error.errors.map(String).join(', ') : error.message;
  return new SqlUnavailable(`PostgreSQL cannot be reached: ${causes}`, { cause: error });
}
