import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPglite } from '../../src/adapters/pglite/open.ts';
import type { Sql } from '../../src/ports/sql.ts';

// Maintenance runs in pauses, and each check is a request itself, so checks are rare.
const seldom = { interval: 2000, timeout: 30_000 };

describe('PGlite without requests for a moment', { timeout: 60_000 }, () => {
  let sql: Sql;

  beforeAll(async () => {
    sql = await openPglite();
  });

  afterAll(() => sql.close());

  it('vacuums and analyzes what was changed', async () => {
    await sql.execute(`create table t (a int, b text); insert into t select n, 'x' from generate_series(1, 3000) n;
      update t set b = 'y'; delete from t where a > 2000`);
    const stats = `select n_dead_tup as dead, vacuum_count as vacuums, analyze_count as analyzes, reltuples as rows
      from pg_stat_user_tables s join pg_class c on c.oid = s.relid where s.relname = 't'`;
    await expect
      .poll(async () => (await sql.query(stats))[0], seldom)
      .toEqual({ dead: 0, vacuums: 1, analyzes: 1, rows: 2000 });
  });

  it('writes a checkpoint when the log has grown', async () => {
    const redo = async (): Promise<number> => {
      const [row] = await sql.query<{ redo: number }>(
        `select pg_wal_lsn_diff(redo_lsn, '0/0')::int8 as redo from pg_control_checkpoint()`,
      );
      return row!.redo;
    };
    const before = await redo();
    await sql.query(
      `select count(pg_logical_emit_message(true, 'test', repeat('x', 65536))) from generate_series(1, 1100)`,
    );
    await expect.poll(async () => (await redo()) - before, seldom).toBeGreaterThan(2 ** 26);
  });

  it('flushes commits that did not wait for the disk', async () => {
    await sql.transaction((tx) => tx.query(`insert into t values (1, 'z')`), { durable: false });
    const flushed = 'select pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn() as done';
    await expect.poll(async () => (await sql.query(flushed))[0], seldom).toEqual({ done: true });
  });
});
