/** A row as returned by the driver: values by column name. */
export type Row = Record<string, unknown>;

/**
 * Values that can be bound to `$1`, `$2`, … Callers convert objects and arrays of objects to JSON text. A
 * `Float32Array` is bound as a `vector`.
 */
export type SqlValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | Date
  | Uint8Array
  | Float32Array
  | readonly string[]
  | readonly number[];

export interface StatementOptions {
  /**
   * For frequent statements for which one plan suits all values, such as lookups by key and ordered index scans. A database
   * with slow planning caches the plan.
   */
  readonly onePlan?: boolean | undefined;
}

/** Runs statements: a database handle or an open transaction. */
export interface SqlExecutor {
  /** Runs one statement with bound parameters and returns its rows. `int8` values are JavaScript numbers. */
  query<R = Row>(text: string, params?: readonly SqlValue[], options?: StatementOptions): Promise<R[]>;
}

/** `onePlan` applies to each statement of the transaction. */
export interface TransactionOptions extends StatementOptions {
  /**
   * Runs the transaction as the query role under row-level security, with access only to this tenant's rows.
   * By default it runs as the owner of the tables.
   */
  readonly tenant?: string;
  /** With `false` the commit returns before the write-ahead log is synced. Only for data that can be rebuilt. */
  readonly durable?: boolean;
  readonly readOnly?: boolean;
}

/**
 * PostgreSQL 18 with pgvector and pg_textsearch, on a server or in this process.
 * Every method rejects with `SqlUnavailable` if the database cannot be reached.
 */
export interface Sql extends SqlExecutor {
  /** Maximum number of concurrent statements and transactions; 1 for the database in this process. */
  readonly connections: number;
  /** Commits when `body` resolves and rolls back when it rejects. Cannot be nested. */
  transaction<T>(body: (tx: SqlExecutor) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Runs one read-only statement in its own transaction under row-level security, like `transaction` with `tenant`. */
  queryAs<R = Row>(tenant: string, text: string, params?: readonly SqlValue[]): Promise<R[]>;
  /** Runs several statements without parameters, one after another, outside a transaction (DDL, VACUUM). */
  execute(script: string): Promise<void>;
  /**
   * Calls `handler` after a committed `NOTIFY channel`; if the database is in this process, before the commit returns to its
   * caller. `missed` is true after a reconnection, when notifications may have been lost. Poll in addition.
   */
  listen(channel: string, handler: (missed: boolean) => void): Promise<() => Promise<void>>;
  /**
   * Leaves no byte in the write-ahead log of what was written before. Absent for a server, whose log belongs to its operator: it needs it
   * for replicas and backups.
   */
  clearLog?(): Promise<void>;
  close(): Promise<void>;
}

/** The database cannot be reached, or the connection was lost: retry later. */
export class SqlUnavailable extends Error {
  override readonly name = 'SqlUnavailable';
}

/** The SQLSTATE of a failed statement (`23505` unique violation, …); undefined if `error` does not come from the database. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}
