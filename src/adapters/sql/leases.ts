import { randomUUID } from 'node:crypto';
import { leaseTtlMs, type LeaseHolder, type Leases } from '../../ports/leases.ts';
import type { Sql } from '../../ports/sql.ts';
import { migrate } from '../migrate.ts';

/** Rows are kept when a lease ends, so that its epoch never restarts. */
const leaseSchema: readonly string[] = [
  `
create table control.lease_terms (
  name text primary key,
  holder text not null,
  instance uuid not null,
  epoch bigint not null,
  expires_at timestamptz not null
);
`,
];

/**
 * Leases in a table, timed by the database's clock. `holder` names this process. Another process with the same name is its
 * successor and takes over its leases at once, with a new epoch.
 */
export async function openSqlLeases(sql: Sql, holder: string): Promise<Leases> {
  await migrate(sql, 'leases', leaseSchema);
  return new SqlLeases(sql, holder);
}

/** The epoch that each lease has reached, for a copy of this database. */
export async function readLeases(sql: Sql): Promise<readonly { name: string; epoch: number }[]> {
  const [table] = await sql.query<{ there: boolean }>(
    `select to_regclass('control.lease_terms') is not null as there`,
  );
  // A data folder has no such table: only one process opens it.
  if (!table!.there) return [];
  return sql.query('select name, epoch from control.lease_terms order by name');
}

/** Whether a process holds a lease in this database: a server is running. */
export async function isAnyHeld(sql: Sql): Promise<boolean> {
  await migrate(sql, 'leases', leaseSchema);
  return (await sql.query('select 1 from control.lease_terms where expires_at > now() limit 1')).length > 0;
}

/** Sets the epochs that leases had in the database that this one continues. */
export async function writeLeases(
  sql: Sql,
  leases: readonly { readonly name: string; readonly epoch: number }[],
): Promise<void> {
  if (leases.length === 0) return;
  await migrate(sql, 'leases', leaseSchema);
  await sql.query(
    `insert into control.lease_terms (name, holder, instance, epoch, expires_at)
     select name, '', gen_random_uuid(), epoch, '-infinity' from json_to_recordset($1::text::json) as r(name text, epoch bigint)
     on conflict (name) do update set epoch = greatest(control.lease_terms.epoch, excluded.epoch)`,
    [JSON.stringify(leases)],
  );
}

class SqlLeases implements Leases {
  readonly #sql: Sql;
  readonly #holder: string;
  readonly #instance = randomUUID();

  constructor(sql: Sql, holder: string) {
    this.#sql = sql;
    this.#holder = holder;
  }

  async hold(name: string): Promise<number | undefined> {
    const rows = await this.#sql.query<{ epoch: number }>(
      `insert into control.lease_terms as l (name, holder, instance, epoch, expires_at)
       values ($1, $2, $3, 1, now() + make_interval(secs => $4))
       on conflict (name) do update set
         holder = excluded.holder,
         instance = excluded.instance,
         epoch = l.epoch + (l.instance <> excluded.instance or l.expires_at < now())::integer,
         expires_at = excluded.expires_at
       where l.holder = excluded.holder or l.expires_at < now()
       returning epoch`,
      [name, this.#holder, this.#instance, leaseTtlMs / 1_000],
    );
    return rows[0]?.epoch;
  }

  async holders(): Promise<Map<string, LeaseHolder>> {
    const rows = await this.#sql.query<{ name: string; here: boolean }>(
      'select name, instance = $1 as here from control.lease_terms where expires_at > now()',
      [this.#instance],
    );
    return new Map(rows.map(({ name, here }) => [name, here ? 'here' : 'elsewhere']));
  }

  async release(name: string): Promise<void> {
    await this.#sql.query(
      `update control.lease_terms set expires_at = '-infinity' where name = $1 and instance = $2`,
      [name, this.#instance],
    );
  }
}
