import type { Engine } from './engine.ts';
import { logTask, tableTask, type LogState, type TableState } from './upkeep.ts';

const tickMs = 500;
const tableTickMs = 1000;
/** While requests keep coming, and after none came for `restAfterMs`, tables are looked at this often. */
const seldomTableTickMs = 10_000;
/** Pause after a failed statement. */
const retryMs = 60_000;
/** Longer than the idle time that any task requires, except clearing a graph. No other task becomes due later. */
const restAfterMs = 35_000;

const logQuery = `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn) as "sinceCheckpoint",
  pg_current_wal_insert_lsn() > pg_current_wal_flush_lsn() as unflushed from pg_control_checkpoint()`;
const flush = `select pg_logical_emit_message(false, 'stratalog', '', true)`;
/** The counters are reset at each start; the catalog has the pages that earlier vacuums have seen. */
const tableQuery = `with tables as materialized (
    select format('%I.%I', n.nspname, c.relname) as name, coalesce(s.n_live_tup, 0) as live,
      coalesce(s.n_dead_tup, 0) as dead, coalesce(s.n_ins_since_vacuum, 0) as inserted,
      modified, age(c.relfrozenxid) as age, pg_total_relation_size(c.oid) as bytes,
      p.pages, c.reltuples as known, case when s.vacuum_count > 0 then 0 else p.pages - c.relallvisible end as unseen,
      exists (select 1 from pg_index i join pg_class ic on ic.oid = i.indexrelid join pg_am a on a.oid = ic.relam
        where i.indrelid = c.oid and a.amname = 'hnsw') as "hasGraph"
    from pg_class c join pg_namespace n on n.oid = c.relnamespace left join pg_stat_all_tables s on s.relid = c.oid
    cross join lateral (
      select pg_relation_size(c.oid) / current_setting('block_size')::integer as pages,
        -- PostgreSQL never analyzes its own statistics.
        case when c.oid = 'pg_statistic'::regclass then 0 else coalesce(s.n_mod_since_analyze, 0) end as modified) p
    where c.relkind in ('r', 'm') and c.relpersistence <> 't')
  select * from tables where modified > 50 or dead > 50 or inserted > 1000 or age > 100000000 or unseen > 100`;

/**
 * Does the work of a PostgreSQL server's background processes while the database is idle: checkpoints, which keep the write-ahead log
 * and the next start short, VACUUM and ANALYZE, and flushing commits that did not wait for the disk.
 */
export class Maintenance {
  readonly #engine: Engine;
  readonly #failed: (reason: string) => void;
  #timer: NodeJS.Timeout | undefined;
  #lastUse = performance.now();
  /** Time of the last foreground request. Background requests, such as polls and renewals of leases, never stop. */
  #lastForeground = performance.now();
  #lastCheckpoint = performance.now();
  #nextTables = 0;
  #nextTablesSeldom = 0;
  #notBefore = 0;
  /** Dead rows by table that are left only in its graph. Reset at each start, like PostgreSQL's counters. */
  readonly #inGraph = new Map<string, number>();
  /** True if no task is left and no request has come since: then ticks do nothing. */
  #resting = false;

  constructor(engine: Engine, failed: (reason: string) => void) {
    this.#engine = engine;
    this.#failed = failed;
  }

  start(enqueue: (work: () => Promise<void>) => void): void {
    this.#timer = setInterval(() => enqueue(() => this.#tick()), tickMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#resting = true;
  }

  /** Called at each request. */
  used(background: boolean): void {
    this.#lastUse = performance.now();
    if (!background) this.#lastForeground = this.#lastUse;
    this.#resting = false;
  }

  async #tick(): Promise<void> {
    const now = performance.now();
    if (this.#resting || now < this.#notBefore || this.#engine.inTransaction) return;
    try {
      const idle = now - this.#lastUse;
      const foregroundIdle = now - this.#lastForeground;
      const worked =
        (await this.#maintainLog(now, idle)) || (await this.#maintainTables(now, foregroundIdle));
      this.#resting = !worked && idle > restAfterMs;
    } catch (error) {
      this.#notBefore = now + retryMs;
      this.#failed(`maintenance pauses for a minute: ${(error as Error).message}`);
    }
  }

  async #maintainLog(now: number, idle: number): Promise<boolean> {
    const task = logTask(await this.#logState(), idle, now - this.#lastCheckpoint);
    if (!task) return false;
    await this.#engine.run([task === 'checkpoint' ? 'checkpoint' : flush]);
    if (task === 'checkpoint') this.#lastCheckpoint = performance.now();
    return true;
  }

  async #maintainTables(now: number, idle: number): Promise<boolean> {
    const isSeldom = idle < tableTickMs || idle > restAfterMs;
    if (now < (isSeldom ? this.#nextTablesSeldom : this.#nextTables)) return false;
    // PostgreSQL updates its statistics at most once a second, and not at all while it is idle.
    await this.#engine.run(['select pg_stat_force_next_flush()']);
    const task = tableTask(await this.#tables(), idle);
    if (task) {
      await this.#engine.run([task.statement]);
      this.#inGraph.set(task.table, task.inGraph);
    }
    const end = performance.now();
    this.#nextTables = end + tableTickMs;
    this.#nextTablesSeldom = end + (task ? tableTickMs : seldomTableTickMs);
    return task !== undefined;
  }

  async #logState(): Promise<LogState> {
    const { rows } = await this.#engine.run([logQuery]);
    return rows[0] as unknown as LogState;
  }

  async #tables(): Promise<TableState[]> {
    const { rows } = await this.#engine.run([tableQuery]);
    return (rows as unknown as Omit<TableState, 'inGraph'>[]).map((table) => ({
      ...table,
      inGraph: Math.min(table.dead, this.#inGraph.get(table.name) ?? 0),
    }));
  }
}
