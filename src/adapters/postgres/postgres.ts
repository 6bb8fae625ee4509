import {
  Pool,
  type PoolClient,
  type PoolConfig,
  type QueryConfig,
  type QueryResult,
  type QueryResultRow,
} from 'pg';
import {
  SqlUnavailable,
  type Row,
  type Sql,
  type SqlExecutor,
  type SqlValue,
  type StatementOptions,
  type TransactionOptions,
} from '../../ports/sql.ts';
import { beginScript } from '../sql/begin.ts';
import { abortedTransaction } from '../sql/error.ts';
import { NestingGuard } from '../sql/nesting.ts';
import { splitStatements } from '../sql/statements.ts';
import { decoderOf, toWire } from '../sql/values.ts';
import { translate } from './errors.ts';
import { Listener } from './listener.ts';
import { prepareLogin, type PostgresLogin } from './login.ts';
import { PreparedNames } from './prepared-names.ts';
import { vectorParsers, vectorToSql } from './vectors.ts';

/** Time limit for a new connection, or for a free one of the pool. */
const connectWithinMs = 5_000;

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database?sslmode=…` */
  readonly url: string;
  /** Required extensions, created if missing. By default those of the profiles with one database. */
  readonly extensions?: readonly string[];
  /** Maximum number of connections, besides the one that listens. */
  readonly maxConnections?: number;
  /** Time limit of a single statement or a read, so that a frozen server does not block its callers forever. */
  readonly answerTimeoutMs?: number;
  readonly onNotice?: (notice: { readonly severity: string; readonly message: string }) => void;
}

export interface PostgresSql extends Sql {
  readonly login: PostgresLogin;
}

/**
 * Connects to a PostgreSQL 18 server. Rejects with `SqlUnavailable` if it cannot be reached (not retried here), and with
 * `PostgresNotPrepared` if the query role or an extension is missing and this login may not create it.
 */
export async function openPostgres(options: PostgresOptions): Promise<PostgresSql> {
  const {
    url,
    extensions = ['vector', 'pg_textsearch'],
    maxConnections = 10,
    answerTimeoutMs = 10_000,
    onNotice = () => {},
  } = options;
  let parsers: Awaited<ReturnType<typeof vectorParsers>> = new Map();
  const config: PoolConfig = {
    connectionString: url,
    application_name: 'stratalog',
    options: '-c timezone=UTC',
    keepAlive: true,
    connectionTimeoutMillis: connectWithinMs,
    types: { getTypeParser: (oid: number) => parsers.get(oid) ?? decoderOf(oid) },
  };
  const pool = new Pool({ ...config, max: maxConnections, pipeline: true });
  // A broken idle connection is replaced at its next use; without a handler its error would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', () => {});
    client.on('notice', ({ severity, message }) =>
      onNotice({ severity: severity ?? 'NOTICE', message: message ?? '' }),
    );
  });
  const connections = new Connections(pool);
  try {
    const login = await connections.use(async ({ client }) => {
      const prepared = await prepareLogin(client, extensions).catch(rethrow);
      if (extensions.includes('vector')) parsers = await vectorParsers(client).catch(rethrow);
      return prepared;
    });
    return new PooledSql(connections, new Listener(config), login, { maxConnections, answerTimeoutMs });
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** Lends connections of the pool; discards broken ones and those with many prepared statements. */
class Connections {
  readonly #pool: Pool;
  readonly #names = new PreparedNames();
  readonly #lent = new Set<Promise<unknown>>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const lent = this.#lend(work);
    this.#lent.add(lent);
    try {
      return await lent;
    } finally {
      this.#lent.delete(lent);
    }
  }

  /** Waits for lent connections first: a pool that ends meanwhile would never answer pending requests for a connection. */
  async end(): Promise<void> {
    await Promise.allSettled(this.#lent);
    await this.#pool.end();
  }

  async #lend<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect().catch(rethrow);
    let broken = false;
    try {
      return await work(new Connection(client, this.#names));
    } catch (error) {
      broken = error instanceof SqlUnavailable;
      throw error;
    } finally {
      client.release(broken || this.#names.isFull(client));
    }
  }
}

/** A connection of the pool while it is lent. */
class Connection {
  readonly client: PoolClient;
  readonly #names: PreparedNames;

  constructor(client: PoolClient, names: PreparedNames) {
    this.client = client;
    this.#names = names;
  }

  /** Always uses the extended protocol, so that statements with and without parameters behave in the same way. */
  async statement<R>(
    text: string,
    params: readonly SqlValue[],
    { timeoutMs, onePlan }: StatementOptions & { readonly timeoutMs: number | undefined },
  ): Promise<R[]> {
    this.#names.sent(text);
    const config: QueryConfig & { queryMode: 'extended'; query_timeout?: number } = {
      ...(onePlan && { name: this.#names.nameOf(this.client, text) }),
      text,
      values: params.map((value) => (value instanceof Float32Array ? vectorToSql(value) : toWire(value))),
      queryMode: 'extended',
      ...(timeoutMs !== undefined && { query_timeout: timeoutMs }),
    };
    const { rows } = await this.client.query<R & QueryResultRow>(config).catch(rethrow);
    return rows;
  }

  async send(text: string): Promise<QueryResult> {
    this.#names.sent(text);
    return this.client.query(text).catch(rethrow);
  }
}

class PooledSql implements PostgresSql {
  readonly connections: number;
  readonly login: PostgresLogin;
  readonly #pool: Connections;
  readonly #listener: Listener;
  readonly #answerTimeoutMs: number;
  readonly #nesting = new NestingGuard();
  #closed: Promise<void> | undefined;

  constructor(
    pool: Connections,
    listener: Listener,
    login: PostgresLogin,
    {
      maxConnections,
      answerTimeoutMs,
    }: Required<Pick<PostgresOptions, 'maxConnections' | 'answerTimeoutMs'>>,
  ) {
    this.connections = maxConnections;
    this.#pool = pool;
    this.#listener = listener;
    this.login = login;
    this.#answerTimeoutMs = answerTimeoutMs;
  }

  async query<R = Row>(
    text: string,
    params: readonly SqlValue[] = [],
    { onePlan }: StatementOptions = {},
  ): Promise<R[]> {
    const timeoutMs = this.#answerTimeoutMs;
    return this.#use((connection) => connection.statement<R>(text, params, { timeoutMs, onePlan }));
  }

  async queryAs<R = Row>(tenant: string, text: string, params: readonly SqlValue[] = []): Promise<R[]> {
    const begin = beginScript({ tenant, readOnly: true });
    return this.#use(async (connection) => {
      // Sent in one round trip: if the begin fails, the transaction is aborted and the statement reads nothing.
      const parts = [
        connection.send(begin),
        connection.statement<R>(text, params, { timeoutMs: this.#answerTimeoutMs }),
        connection.send('commit'),
      ] as const;
      await Promise.allSettled(parts);
      const [, rows] = await Promise.all(parts);
      return rows;
    });
  }

  async transaction<T>(body: (tx: SqlExecutor) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    // No limit for writing transactions, which may take long: migrations, pages of a projection, its digest.
    const timeoutMs = options.readOnly ? this.#answerTimeoutMs : undefined;
    return this.#use((connection) =>
      this.#nesting.run(() => runTransaction(connection, body, options, timeoutMs)),
    );
  }

  async execute(script: string): Promise<void> {
    await this.#use(async (connection) => {
      for (const text of splitStatements(script)) await connection.send(text);
    });
  }

  async listen(channel: string, handler: (missed: boolean) => void): Promise<() => Promise<void>> {
    this.#refuseClosed();
    return this.#listener.listen(channel, handler);
  }

  close(): Promise<void> {
    this.#closed ??= Promise.all([this.#listener.close(), this.#pool.end()]).then(() => {});
    return this.#closed;
  }

  async #use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    this.#nesting.check();
    this.#refuseClosed();
    return this.#pool.use(work);
  }

  #refuseClosed(): void {
    if (this.#closed) throw new SqlUnavailable('the database was closed');
  }
}

async function runTransaction<T>(
  connection: Connection,
  body: (tx: SqlExecutor) => Promise<T>,
  options: TransactionOptions,
  timeoutMs: number | undefined,
): Promise<T> {
  let over = false;
  // Not awaited: the connection is pipelined, so the first statement is sent at once and fails if this fails.
  const begun = connection.send(beginScript(options));
  begun.catch(() => {});
  const tx: SqlExecutor = {
    async query<R = Row>(
      text: string,
      params: readonly SqlValue[] = [],
      { onePlan = options.onePlan }: StatementOptions = {},
    ): Promise<R[]> {
      if (over) throw new Error('the transaction is over: its executor was used after its end');
      return connection.statement<R>(text, params, { timeoutMs, onePlan });
    },
  };
  let result: T;
  try {
    result = await body(tx);
  } catch (error) {
    over = true;
    await connection.send('rollback').catch(() => {});
    await begun;
    throw error;
  }
  over = true;
  const { command } = await connection.send('commit');
  await begun;
  if (command !== 'COMMIT') throw abortedTransaction();
  return result;
}

function rethrow(error: unknown): never {
  throw translate(error);
}
