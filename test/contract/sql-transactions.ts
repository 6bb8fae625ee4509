import { describe, expect, it } from 'vitest';
import type { ContractDatabase } from './sql.ts';

/** Contract of transactions. */
export function transactionContract(db: ContractDatabase): void {
  const add = `insert into ${db.item} values ($1, $2, $3)`;

  describe('a transaction', () => {
    it('commits the work of its body and returns its result', async () => {
      await db.empty();
      const answer = await db.sql.transaction(async (tx) => {
        await tx.query(add, [1, 'a', 'one']);
        await tx.query(add, [2, 'a', 'two']);
        return (await tx.query(`select count(*) as n from ${db.item}`))[0];
      });
      expect(answer).toEqual({ n: 2 });
      expect(await db.labels()).toEqual(['one', 'two']);
    });

    it('rolls back when its body rejects, and rejects with the same error', async () => {
      await db.empty();
      const reason = Object.assign(new Error('changed my mind'), { syscall: 'open' });
      const failed = db.sql.transaction(async (tx) => {
        await tx.query(add, [1, 'a', 'one']);
        throw reason;
      });
      await expect(failed).rejects.toBe(reason);
      expect(await db.labels()).toEqual([]);
    });

    it('rejects if a statement failed although its body continued', async () => {
      await db.empty();
      const swallowed = db.sql.transaction(async (tx) => {
        await tx.query(add, [1, 'a', 'one']);
        await tx.query('select 1 / 0').catch(() => {});
      });
      await expect(swallowed).rejects.toMatchObject({ code: '25P02' });
      expect(await db.labels()).toEqual([]);
    });

    it('rejects with the error of a constraint that is checked at the commit', async () => {
      await db.sql.execute(`create table ${db.schema}.late (id int unique deferrable initially deferred)`);
      const late = db.sql.transaction((tx) => tx.query(`insert into ${db.schema}.late values (1), (1)`));
      await expect(late).rejects.toMatchObject({ code: '23505' });
      expect(await db.sql.query(`select * from ${db.schema}.late`)).toEqual([]);
    });

    it('is never partially visible', async () => {
      await db.empty();
      const [, ...counts] = await Promise.all([
        db.sql.transaction(async (tx) => {
          for (let id = 1; id <= 10; id++) await tx.query(add, [id, 'a', 'x']);
        }),
        ...Array.from({ length: 10 }, () =>
          db.sql.query<{ n: number }>(`select count(*) as n from ${db.item}`),
        ),
      ]);
      for (const [row] of counts) expect([0, 10]).toContain(row!.n);
    });

    it('waits for another that has locked its row, so that no update is lost', async () => {
      await db.empty();
      await db.sql.query(add, [1, 'a', '0']);
      const bump = (): Promise<void> =>
        db.sql.transaction(async (tx) => {
          const [row] = await tx.query<{ label: string }>(
            `select label from ${db.item} where id = 1 for update`,
          );
          await tx.query(`update ${db.item} set label = $1 where id = 1`, [String(Number(row!.label) + 1)]);
        });
      await Promise.all(Array.from({ length: 25 }, bump));
      expect(await db.labels()).toEqual(['25']);
    });

    it('ends with its body: its executor cannot be used afterwards, nor the database inside it', async () => {
      const executor = await db.sql.transaction(async (tx) => tx);
      await expect(executor.query('select 1')).rejects.toThrow('over');
      await expect(db.sql.transaction(() => db.sql.query('select 1'))).rejects.toThrow(
        'inside its own transaction',
      );
      await expect(db.sql.transaction(() => db.sql.transaction(async () => {}))).rejects.toThrow(
        'inside its own transaction',
      );
      expect(await db.sql.query('select 1 as one')).toEqual([{ one: 1 }]);
    });

    it('that only reads cannot write', async () => {
      await db.empty();
      const write = db.sql.transaction((tx) => tx.query(add, [1, 'a', 'x']), { readOnly: true });
      await expect(write).rejects.toMatchObject({ code: '25006' });
      expect(await db.labels()).toEqual([]);
    });

    it('that need not be durable does not wait for the disk, but the next one does', async () => {
      await db.empty();
      const setting = `select current_setting('synchronous_commit') as value`;
      const [row] = await db.sql.transaction(
        async (tx) => {
          await tx.query(add, [1, 'a', 'x']);
          return tx.query(setting);
        },
        { durable: false },
      );
      expect(row).toEqual({ value: 'off' });
      expect(await db.labels()).toEqual(['x']);
      expect(await db.sql.transaction((tx) => tx.query(setting))).toEqual([{ value: 'on' }]);
    });
  });
}
