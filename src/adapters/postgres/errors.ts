import { DatabaseError } from 'pg';
import { SqlUnavailable } from '../../ports/sql.ts';
import { failureOf, SqlError } from '../sql/error.ts';

/** The server is there, but not as this program needs it: the message says what its administrator has to run. */
export class PostgresNotPrepared extends Error {
  override readonly name = 'PostgresNotPrepared';
}

/** SQLSTATEs of a server that is not there for now: connection errors, shutting down, starting, no slot free. */
const gone = /^(08...|57P0[1-5]|53300)$/;
/** How `pg` words a lost connection, which has no code of its own. */
const lost =
  /Connection terminated|connection error|not queryable|Connection ended|timeout exceeded when trying to connect|Query read timeout|after calling end/i;

/** The driver's error as the port has it: `SqlUnavailable`, `SqlError`, or itself where it is neither. */
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
