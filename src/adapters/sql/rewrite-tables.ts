import type { Sql } from '../../ports/sql.ts';
import type { Remains } from '../../ports/surface.ts';

/** What the program derives from the log, and keeps beside it. The log itself has only ciphertext of what was erased. */
const schemas = ['read', 'control', 'follow'];
/** The planner's statistics have samples of the columns, such as the most frequent texts. */
const statistics = 'pg_catalog.pg_statistic';

/**
 * The files of the tables that erased content was in. When PostgreSQL deletes a row, it only marks it, and the bytes stay in the files of
 * the table and its indexes. Therefore each table is rewritten. Statements that use the table meanwhile are blocked.
 */
export class RewrittenTables implements Remains {
  readonly name = 'files of the database';
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async rewrite(): Promise<void> {
    const tables = await this.#sql.query<{ readonly name: string }>(
      `select format('%I.%I', n.nspname, c.relname) as name
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind = 'r' and n.nspname = any ($1) and pg_total_relation_size(c.oid) > 0
       order by pg_total_relation_size(c.oid)`,
      [schemas],
    );
    for (const { name } of tables) await this.#sql.execute(`vacuum (full, analyze) ${name}`);
    await this.#sql.execute(`vacuum (full) ${statistics}`);
    await this.#sql.clearLog?.();
  }
}
