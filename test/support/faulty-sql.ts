import { SqlUnavailable, type Row, type Sql, type SqlExecutor, type SqlValue } from '../../src/ports/sql.ts';

/** When a statement fails: `before` it runs, `after` it ran (its reply is lost), or not at all. */
export type Fault = 'before' | 'after' | undefined;

/** Wraps a database so that a test can make statements fail. `close` closes the wrapped database. */
export class FaultySql implements Sql {
  readonly #sql: Sql;
  /** Returns the fault of each statement, outside and inside transactions. */
  fault: (statement: string) => Fault | Promise<Fault> = () => undefined;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  get connections(): number {
    return this.#sql.connections;
  }

  query<R = Row>(...[text, params, options]: Parameters<Sql['query']>): Promise<R[]> {
    return this.#through(text, () => this.#sql.query<R>(text, params, options));
  }

  queryAs<R = Row>(tenant: string, text: string, params?: readonly SqlValue[]): Promise<R[]> {
    return this.#through(text, () => this.#sql.queryAs<R>(tenant, text, params));
  }

  transaction<T>(...[body, options]: Parameters<Sql['transaction']>): Promise<T> {
    const faulty = (tx: SqlExecutor): SqlExecutor => ({
      query: (text, params, options) => this.#through(text, () => tx.query(text, params, options)),
    });
    return this.#sql.transaction((tx) => body(faulty(tx)) as Promise<T>, options);
  }

  execute(script: string): Promise<void> {
    return this.#sql.execute(script);
  }

  listen(channel: string, handler: (missed: boolean) => void): Promise<() => Promise<void>> {
    return this.#sql.listen(channel, handler);
  }

  close(): Promise<void> {
    return this.#sql.close();
  }

  async #through<T>(statement: string, run: () => Promise<T>): Promise<T> {
    const fault = await this.fault(statement);
    if (fault === 'before') throw new SqlUnavailable('the database went away');
    const result = await run();
    if (fault === 'after') throw new SqlUnavailable('the reply was lost');
    return result;
  }
}

/** A fault for the next `times` statements that contain `part`. */
export function failing(part: string, fault: Exclude<Fault, undefined>, times = 1): FaultySql['fault'] {
  let left = times;
  return (statement) => (statement.includes(part) && left-- > 0 ? fault : undefined);
}
