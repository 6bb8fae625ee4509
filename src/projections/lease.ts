import type { Sql } from '../ports/sql.ts';

const ttlSeconds = 5;

/**
 * Says which process does a piece of work that one should do. It only saves double work: what keeps two writers
 * apart is the guard in their transactions.
 */
export class Leases {
  readonly #sql: Sql;
  readonly #holder: string;

  /** `holder` names this process; the same name takes its own lease again at once. */
  constructor(sql: Sql, holder: string) {
    this.#sql = sql;
    this.#holder = holder;
  }

  /** Takes or renews the lease for 5 s; false while another process holds it. */
  async hold(name: string): Promise<boolean> {
    const rows = await this.#sql.query(
      `insert into control.leases as l (name, holder, epoch, expires_at) values ($1, $2, 1, now() + make_interval(secs => $3))
       on conflict (name) do update set
         holder = excluded.holder,
         epoch = l.epoch + (l.holder <> excluded.holder)::integer,
         expires_at = excluded.expires_at
       where l.holder = excluded.holder or l.expires_at < now()
       returning epoch`,
      [name, this.#holder, ttlSeconds],
    );
    return rows.length > 0;
  }

  /** Who holds each lease that is held now. */
  async holders(): Promise<Map<string, 'here' | 'elsewhere'>> {
    const rows = await this.#sql.query<{ name: string; here: boolean }>(
      'select name, holder = $1 as here from control.leases where expires_at > now()',
      [this.#holder],
    );
    return new Map(rows.map(({ name, here }) => [name, here ? 'here' : 'elsewhere']));
  }

  /** Lets another process take it at once. */
  async release(name: string): Promise<void> {
    await this.#sql.query('delete from control.leases where name = $1 and holder = $2', [name, this.#holder]);
  }
}
