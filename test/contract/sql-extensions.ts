import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ContractDatabase } from './sql.ts';

/** Notifications, and the two extensions. */
export function extensionContract(db: ContractDatabase): void {
  describe('notifications', () => {
    it('wake a listener after the commit, until it stops listening', async () => {
      const channel = `news_${randomUUID()}`;
      let woken = 0;
      const next = (): Promise<void> => {
        const before = woken;
        return expect.poll(() => woken, { timeout: 5000 }).toBeGreaterThan(before);
      };
      const stop = await db.sql.listen(channel, () => woken++);
      const first = next();
      await db.sql.transaction(async (tx) => {
        await tx.query(`select pg_notify($1, '')`, [channel]);
      });
      await first;

      const failed = db.sql.transaction(async (tx) => {
        await tx.query(`select pg_notify($1, '')`, [channel]);
        throw new Error('rolled back');
      });
      await expect(failed).rejects.toThrow('rolled back');
      const count = woken;
      let other = 0;
      const stopOther = await db.sql.listen(`${channel}_2`, () => other++);
      const notifyOther = async (): Promise<void> => {
        const before = other;
        await db.sql.query(`select pg_notify($1, '')`, [`${channel}_2`]);
        await expect.poll(() => other, { timeout: 5000 }).toBeGreaterThan(before);
      };
      await notifyOther();
      expect(woken).toBe(count);

      await stop();
      await db.sql.query(`select pg_notify($1, '')`, [channel]);
      await notifyOther();
      expect(woken).toBe(count);
      await stopOther();
    });
  });

  describe('search', () => {
    it('finds nearest vectors through an HNSW index', async () => {
      const table = `${db.schema}.vectors`;
      await db.sql.execute(`
        create table ${table} (id int primary key, e halfvec(3) not null);
        insert into ${table} select n, format('[%s,%s,1]', sin(n / 20.0), cos(n / 20.0))::halfvec from generate_series(1, 120) n;
        create index on ${table} using hnsw (e halfvec_cosine_ops) with (m = 16, ef_construction = 64);
      `);
      const nearest = `select id from ${table} order by e <=> $1::halfvec limit 1`;
      const target = `[${Math.sin(77 / 20)},${Math.cos(77 / 20)},1]`;
      const answer = await db.sql.transaction(async (tx) => {
        await tx.query('set local enable_seqscan = off');
        const plan = await tx.query(`explain ${nearest}`, [target]);
        return { plan: JSON.stringify(plan), rows: await tx.query(nearest, [target]) };
      });
      expect(answer.rows).toEqual([{ id: 77 }]);
      expect(answer.plan).toContain('vectors_e_idx');
    });

    it('ranks texts through a BM25 index, for the query role too', async () => {
      const table = `${db.schema}.texts`;
      await db.sql.execute(`
        create table ${table} (id int primary key, body text not null);
        insert into ${table} values (1, 'the cat sat on the mat'), (2, 'dogs chase cats and other cats'), (3, 'no pets here');
        create index texts_bm25 on ${table} using bm25 (body) with (text_config = 'english');
        grant select on ${table} to stratalog_query;
      `);
      const ranked = `select id from ${table} where body <@> to_bm25query($1, '${db.schema}.texts_bm25') < 0
        order by body <@> to_bm25query($1, '${db.schema}.texts_bm25') limit 10`;
      expect(await db.sql.query(ranked, ['cat'])).toEqual([{ id: 2 }, { id: 1 }]);
      expect(await db.sql.queryAs('a', ranked, ['pet'])).toEqual([{ id: 3 }]);
    });
  });
}
