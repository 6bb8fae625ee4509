import { describe, expect, it } from 'vitest';
import type { Row, SqlValue } from '../../src/ports/sql.ts';
import type { ContractDatabase } from './sql.ts';

const times = 12;

/** Frequent statements, which an adapter may keep prepared. */
export function repetitionContract(db: ContractDatabase): void {
  for (const onePlan of [false, true]) repeated(db, onePlan);
}

function repeated(db: ContractDatabase, onePlan: boolean): void {
  /** Runs a statement in its own transaction. */
  const query = (text: string, params?: readonly SqlValue[]): Promise<Row[]> =>
    db.sql.transaction((tx) => tx.query(text, params), { onePlan });
  const table = `${db.schema}.repeated`;
  const read = `select * from ${table} where id = $1`;

  async function again(body: (n: number) => Promise<void>): Promise<void> {
    for (let n = 0; n < times; n++) await body(n);
  }

  describe(`a repeated statement, ${onePlan ? 'with one plan' : 'with plans chosen by the database'}`, () => {
    it('returns results for the current values', async () => {
      await db.sql.execute(`create table ${table} (id int primary key, label text)`);
      await again(async (id) => {
        await query(`insert into ${table} values ($1, $2)`, [id, id % 2 ? null : `number ${id}`]);
      });
      await again(async (id) => {
        expect(await query(read, [id])).toEqual([{ id, label: id % 2 ? null : `number ${id}` }]);
      });
      await db.sql.execute(`drop table ${table}`);
    });

    it('uses the current columns after its table was altered or recreated', async () => {
      await db.sql.execute(`create table ${table} (id int primary key)`);
      await query(`insert into ${table} values (1)`);
      await again(async () => expect(await query(read, [1])).toEqual([{ id: 1 }]));
      await db.sql.execute(`alter table ${table} add column label text default 'new'`);
      await again(async () => expect(await query(read, [1])).toEqual([{ id: 1, label: 'new' }]));
      await db.sql.transaction(async (tx) => {
        await tx.query(`drop table ${table}`);
        await tx.query(`create table ${table} (label text, id int)`);
        await tx.query(`insert into ${table} values ('anew', 1)`);
        expect(await tx.query(read, [1])).toEqual([{ label: 'anew', id: 1 }]);
      });
      await again(async () => expect(await query(read, [1])).toEqual([{ label: 'anew', id: 1 }]));
      await db.sql.execute(`drop table ${table}`);
    });

    it('works after a failure, and after a rollback of the transaction that used it first', async () => {
      const divide = 'select 12 / $1::int as part';
      await again(async (n) => {
        if (n % 3 === 0) await expect(query(divide, [0])).rejects.toThrow(/division by zero/);
        else expect(await query(divide, [n])).toEqual([{ part: Math.trunc(12 / n) }]);
      });
      const late = 'select $1::text as said';
      await again(async (n) => {
        const ended = db.sql.transaction(
          async (tx) => {
            await tx.query(divide, [0]).catch(() => {});
            await expect(tx.query(late, ['never'])).rejects.toThrow(/aborted/);
            throw new Error('rolled back');
          },
          { onePlan },
        );
        await expect(ended).rejects.toThrow('rolled back');
        expect(await query(late, [`${n}`])).toEqual([{ said: `${n}` }]);
      });
    });

    it('is not confused with a thousand others', async () => {
      const kept = 'select $1::int * 2 as doubled';
      for (let n = 0; n < 1_000; n++) {
        const other = `select $1::int + ${n % 500} as sum`;
        expect(await query(other, [n])).toEqual([{ sum: n + (n % 500) }]);
        if (n % 50 === 0) expect(await query(kept, [n])).toEqual([{ doubled: 2 * n }]);
      }
    });

    it('shows each tenant its own rows', async () => {
      await db.empty();
      for (const [id, tenant] of [
        [1, 'a'],
        [2, 'b'],
      ] as const)
        await query(`insert into ${db.item} values ($1, $2, 'own')`, [id, tenant]);
      await again(async (n) => {
        const [tenant, id] = n % 2 ? ['a', 1] : ['b', 2];
        const own = `select id from ${db.item}`;
        const rows = await db.sql.transaction((tx) => tx.query(own), { tenant: tenant as string, onePlan });
        expect(rows).toEqual([{ id }]);
      });
    });
  });
}
