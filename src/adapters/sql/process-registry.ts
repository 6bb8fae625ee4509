import type { Sql } from '../../ports/sql.ts';
import { migrate } from '../migrate.ts';

const schema = [
  `
create table control.processes (
  id uuid primary key,
  forgotten bigint not null,
  seen_at timestamptz not null default now()
);
`,
];
/** A process that was not seen for so long has ended: what it had in memory is gone. */
const goneAfterSeconds = 60;

/**
 * The processes that have content in memory, and how far in the log each has followed erasures. For processes on a database server; the
 * embedded database has one process.
 */
export class ProcessRegistry {
  readonly #sql: Sql;

  private constructor(sql: Sql) {
    this.#sql = sql;
  }

  static async open(sql: Sql): Promise<ProcessRegistry> {
    await migrate(sql, 'processes', schema);
    return new ProcessRegistry(sql);
  }

  /** Says that a process is there, and has forgotten everything that was erased up to this position. */
  async report(id: string, forgotten: number): Promise<void> {
    await this.#sql.query(
      `insert into control.processes (id, forgotten) values ($1::text::uuid, $2)
       on conflict (id) do update set forgotten = greatest(control.processes.forgotten, $2), seen_at = now()`,
      [id, forgotten],
    );
  }

  async leave(id: string): Promise<void> {
    await this.#sql.query('delete from control.processes where id = $1::text::uuid', [id]);
  }

  /** Number of processes that may have in memory what was erased up to this position. */
  async behind(position: number): Promise<number> {
    const [row] = await this.#sql.query<{ readonly count: number }>(
      `select count(*)::int as count from control.processes
       where forgotten < $1 and seen_at > now() - make_interval(secs => ${goneAfterSeconds})`,
      [position],
    );
    return row!.count;
  }
}
