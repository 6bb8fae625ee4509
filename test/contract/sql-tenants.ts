import { beforeAll, describe, expect, it } from 'vitest';
import type { ContractDatabase } from './sql.ts';

/** Row-level security under the query role. */
export function tenantContract(db: ContractDatabase): void {
  const add = `insert into ${db.item} values ($1, $2, $3)`;

  describe('row-level security', () => {
    const ids = `select id from ${db.item} order by id`;

    beforeAll(async () => {
      await db.empty();
      for (const [id, tenant] of [
        [1, 'a'],
        [2, 'a'],
        [3, 'b'],
        [4, `o'b\\`],
      ] as const)
        await db.sql.query(add, [id, tenant, 'x']);
    });

    it('shows a tenant only its own rows, and the owner all', async () => {
      expect(await db.sql.queryAs('a', ids)).toEqual([{ id: 1 }, { id: 2 }]);
      expect(await db.sql.queryAs('b', ids)).toEqual([{ id: 3 }]);
      expect(await db.sql.queryAs(`o'b\\`, ids)).toEqual([{ id: 4 }]);
      expect(await db.sql.queryAs('', ids)).toEqual([]);
      expect(await db.sql.transaction((tx) => tx.query(ids), { tenant: 'a' })).toEqual([
        { id: 1 },
        { id: 2 },
      ]);
      expect(await db.sql.query(ids)).toHaveLength(4);
    });

    it('holds against a filter for another tenant', async () => {
      expect(await db.sql.queryAs('a', `select id from ${db.item} where tenant = $1`, ['b'])).toEqual([]);
    });

    it('leaves no tenant set on the connection', async () => {
      await Promise.all(Array.from({ length: 20 }, (_, n) => db.sql.queryAs(n % 2 ? 'a' : 'b', ids)));
      await expect(db.sql.queryAs('a', 'select 1 / 0')).rejects.toMatchObject({ code: '22012' });
      const state = `select current_user <> 'stratalog_query' as owner, current_setting('app.tenant', true) as tenant`;
      const [row] = await db.sql.query<{ owner: boolean; tenant: string | null }>(state);
      expect(row!.owner).toBe(true);
      expect(row!.tenant || null).toBeNull();
    });

    it('keeps the query role from writing and from tables without a grant', async () => {
      await expect(db.sql.queryAs('a', `select * from ${db.schema}.secret`)).rejects.toMatchObject({
        code: '42501',
      });
      await expect(db.sql.queryAs('a', add, [9, 'a', 'x'])).rejects.toMatchObject({
        code: expect.stringMatching(/^(25006|42501)$/),
      });
      const write = db.sql.transaction((tx) => tx.query(add, [9, 'a', 'x']), { tenant: 'a' });
      await expect(write).rejects.toMatchObject({ code: '42501' });
      expect(await db.sql.query(ids)).toHaveLength(4);
    });

    it('serves many tenants concurrently, each with its own rows', async () => {
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, n) => db.sql.queryAs<{ id: number }>(n % 3 ? 'a' : 'b', ids)),
      );
      answers.forEach((rows, n) => expect(rows.map(({ id }) => id)).toEqual(n % 3 ? [1, 2] : [3]));
    });
  });
}
