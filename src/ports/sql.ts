/** A row as the driver returns it: columns by name. */
export type Row = Record<string, unknown>;

/**
 * Values that may be bound to `$1`, `$2`, … Objects and arrays of objects are bound as JSON text by the caller. A
 * `Float32Array` is a `vector`, where the statement takes one.
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
   * The statement comes again and again, and one plan of it serves any values: lookups by key, and indexes that are read
   * in their order. A database that plans slowly keeps the plan.
   */
  readonly onePlan?: boolean | undefined;
}

/** Whatever runs statements: a database handle or an open transaction. */
export interface SqlExecutor {
  /** Runs one statement with bound parameters and answers its rows. `int8` comes back as a JavaScript number. */
  query<R = Row>(text: string, params?: readonly SqlValue[], options?: StatementOptions): Promise<R[]>;
}

/** `onePlan` is said of each of its statements. */
export interface TransactionOptions extends StatementOptions {
  /**
   * Runs the transaction under row-level security as the query role, seeing this tenant's rows only.
   * Left out, it runs as the owner of the tables.
   */
  readonly tenant?: string;
  /** `false` lets the commit return before the write-ahead log is synced. Only for data that can be rebuilt. */
  readonly durable?: boolean;
  readonly readOnly?: boolean;
}

/**
 * A PostgreSQL 18 with pgvector and pg_textsearch, on a server or in this process.
 * Every method rejects with `SqlUnavailable` when the database cannot be reached.
 */
export interface Sql extends SqlExecutor {
  /** How many statements and transactions it works on at the same time; others wait. 1 in this process. */
  readonly connections: number;
  /** Commits when `body` resolves and rolls back when it rejects. Never nested. */
  transaction<T>(body: (tx: SqlExecutor) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** One read-only statement inside its own transaction under row-level security, as `transaction({tenant})` does. */
  queryAs<R = Row>(tenant: string, text: string, params?: readonly SqlValue[]): Promise<R[]>;
  /** Runs several statements without parameters, one after another, outside a transaction (DDL, VACUUM). */
  execute(script: string): Promise<void>;
  /**
   * Wakes `handler` after a committed `NOTIFY channel`, before whoever committed it is answered where the database is in this
   * process; with `missed` after the connection was lost, when others may have been missed. Poll as the floor.
   */
  listen(channel: string, handler: (missed: boolean) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** The database cannot be reached or went away: try again later. */
export class SqlUnavailable extends Error {
  override readonly name = 'SqlUnavailable';
}

/** The SQLSTATE of a failed statement (`23505` unique violation, …), or undefined where `error` is not the database's own. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}
