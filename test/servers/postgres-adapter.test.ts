import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgres, type PostgresSql } from '../../src/adapters/postgres/postgres.ts';
import { SqlUnavailable } from '../../src/ports/sql.ts';

const url = process.env['STRATALOG_POSTGRES_URL'];

describe('PostgreSQL that cannot be reached', () => {
  it('is reported as unavailable', async () => {
    const nobody = openPostgres({ url: 'postgres://stratalog:stratalog@127.0.0.1:1/stratalog' });
    await expect(nobody).rejects.toBeInstanceOf(SqlUnavailable);
  });
});

describe.runIf(url)('a PostgreSQL server', () => {
  let sql: PostgresSql;
  let killer: Client;

  beforeAll(async () => {
    sql = await openPostgres({ url: url!, maxConnections: 2 });
    killer = new Client({ connectionString: url });
    await killer.connect();
  });

  afterAll(async () => {
    await killer.end();
    await sql.close();
  });

  const kill = (pid: unknown): Promise<unknown> =>
    killer.query('select pg_terminate_backend($1::int, 5000)', [pid]);
  const own = 'select pg_backend_pid() as pid';

  it('reports the rights of its login, which row-level security must apply to', () => {
    expect(sql.login).toEqual({ role: 'stratalog', superuser: false, bypassesRowSecurity: false });
  });

  it('[A5] reads vectors exactly as they were written', async () => {
    const vector = Float32Array.from([0.1, -1 / 3, 1e-30, 0, 0.987654321]);
    const [row] = await sql.query<{ vector: number[] }>('select $1::vector as vector', [vector]);
    expect(Float32Array.from(row!.vector)).toEqual(vector);
  });

  it('refuses a wrong password with its SQLSTATE, not as unavailable', async () => {
    const wrong = new URL(url!);
    wrong.password = 'wrong';
    await expect(openPostgres({ url: wrong.href })).rejects.toMatchObject({ code: '28P01' });
  });

  it('is unavailable for a transaction whose connection is lost, and answers the next one', async () => {
    const lost = sql.transaction(async (tx) => {
      const [row] = await tx.query(own);
      await kill(row!['pid']);
      await tx.query('select 1');
    });
    await expect(lost).rejects.toBeInstanceOf(SqlUnavailable);
    const [idle] = await sql.query(own);
    await kill(idle!['pid']);
    await expect.poll(() => sql.query('select 1 as one').catch(() => 'lost')).toEqual([{ one: 1 }]);
  });

  it('runs as many transactions concurrently as it has connections, and queues the others', async () => {
    const pids = await Promise.all(
      Array.from({ length: 12 }, () => sql.transaction(async (tx) => (await tx.query(own))[0]!['pid'])),
    );
    expect(new Set(pids).size).toBeLessThanOrEqual(2);
  });

  it('keeps few prepared statements on a connection, however many are used, and answers each correctly', async () => {
    const one = await openPostgres({ url: url!, maxConnections: 1 });
    try {
      const most = async (): Promise<number> => {
        const [row] = await one.query<{ count: number }>(
          'select count(*) as count from pg_prepared_statements',
        );
        return row!.count;
      };
      for (let n = 0; n < 1_000; n++) {
        const [row] = await one.query(`select $1::int + ${n} as sum`, [n], { onePlan: true });
        expect(row).toEqual({ sum: 2 * n });
        if (n % 100 === 50) expect(await most()).toBeLessThanOrEqual(301);
      }
      expect(await most()).toBeGreaterThan(0);
    } finally {
      await one.close();
    }
  });

  it('listens again after a lost connection, and wakes listeners that may have missed notifications', async () => {
    let woken = 0;
    const stop = await sql.listen('adapter_news', () => woken++);
    const { rows } = await killer.query(
      `select pid from pg_stat_activity where query = 'listen "adapter_news"'`,
    );
    expect(rows).toHaveLength(1);
    await kill(rows[0].pid);
    await expect.poll(() => woken, { timeout: 10_000 }).toBe(1);
    await sql.query('notify adapter_news');
    await expect.poll(() => woken).toBe(2);
    await stop();
  });
});
