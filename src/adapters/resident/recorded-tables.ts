import type { Sql } from '../../ports/sql.ts';
import { ignoreChanges, recordChanges, recordedTables } from './changes.ts';

/**
 * Object id of a table whose triggers another process installed: they may be incomplete, or belong to a dropped table of that name.
 */
const unknownOid = 0;

/** The tables whose changes are recorded in the database, for one kind of rows. */
export class RecordedTables {
  readonly #sql: Sql;
  readonly #kind: string;
  /** Object id by name. */
  readonly #oids = new Map<string, number>();

  constructor(sql: Sql, kind: string) {
    this.#sql = sql;
    this.#kind = kind;
  }

  /** Finds the tables that an earlier process recorded. */
  async readExisting(): Promise<void> {
    for (const table of await recordedTables(this.#sql, this.#kind)) this.#oids.set(table, unknownOid);
  }

  /** Starts to record the changes of a table. */
  async record(table: string, oid: number): Promise<void> {
    if (this.#oids.get(table) !== oid) await recordChanges(this.#sql, this.#kind, table);
    this.#oids.set(table, oid);
  }

  /** Stops recording the changes of all tables but these. */
  async keepOnly(tables: ReadonlySet<string>): Promise<void> {
    for (const table of this.#oids.keys()) {
      if (tables.has(table)) continue;
      this.#oids.delete(table);
      await ignoreChanges(this.#sql, table);
    }
  }

  /** Installs the triggers again before the next load: the database may have been restored to an earlier state. */
  invalidate(): void {
    for (const table of this.#oids.keys()) this.#oids.set(table, unknownOid);
  }
}

/** The object id of each table; undefined if it does not exist. */
export async function oidsOf(sql: Sql, tables: readonly string[]): Promise<readonly (number | undefined)[]> {
  if (tables.length === 0) return [];
  const rows = await sql.query<{ oid: number | null }>(
    `select to_regclass(name)::oid as oid from unnest($1::text[]) with ordinality as t(name, place) order by place`,
    [tables],
  );
  return rows.map(({ oid }) => oid ?? undefined);
}
