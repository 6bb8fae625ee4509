import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqlLeases } from '../../src/adapters/sql/leases.ts';
import type { Sql } from '../../src/ports/sql.ts';

let names = 0;

/** Contract of leases. */
export function leasesContract(
  name: string,
  open: () => Promise<{ sql: Sql; close(): Promise<void> }>,
): void {
  describe(`leases on ${name}`, () => {
    let sql: Sql;
    let close: () => Promise<void>;
    const lease = (): string => `lease ${++names}`;
    const process = (holder: string) => openSqlLeases(sql, holder);
    const runOut = (name: string) =>
      sql.query(`update control.lease_terms set expires_at = now() - interval '1 ms' where name = $1`, [
        name,
      ]);

    beforeAll(async () => {
      ({ sql, close } = await open());
    });

    afterAll(() => close());

    it('[G2] are held by one process, whose epoch stays the same while it renews', async () => {
      const [one, two] = [await process('one'), await process('two')];
      const name = lease();
      const epoch = await one.hold(name);
      expect(epoch).toBe(1);
      expect(await two.hold(name)).toBeUndefined();
      expect(await one.hold(name)).toBe(epoch);
      expect((await one.holders()).get(name)).toBe('here');
      expect((await two.holders()).get(name)).toBe('elsewhere');
    });

    it('[G2] can be taken by another process with a higher epoch, after they were released or expired', async () => {
      const [one, two] = [await process('one'), await process('two')];
      const name = lease();
      expect(await one.hold(name)).toBe(1);
      await one.release(name);
      expect((await two.holders()).has(name)).toBe(false);
      expect(await two.hold(name)).toBe(2);
      expect(await one.hold(name)).toBeUndefined();
      await runOut(name);
      expect(await one.hold(name)).toBe(3);
    });

    it('[G2] have a new epoch if the holder itself renewed too late', async () => {
      const one = await process('one');
      const name = lease();
      await one.hold(name);
      await runOut(name);
      expect(await one.hold(name)).toBe(2);
    });

    it('[G2] can be taken at once by a successor with the same name, with a new epoch', async () => {
      const [before, after] = [await process('one'), await process('one')];
      const name = lease();
      expect(await before.hold(name)).toBe(1);
      expect(await after.hold(name)).toBe(2);
      await before.release(name);
      expect((await after.holders()).get(name)).toBe('here');
      expect((await before.holders()).get(name)).toBe('elsewhere');
    });

    it('[G2] never have two holders, however many processes try at once', async () => {
      const all = await Promise.all(Array.from({ length: 8 }, (_, n) => process(`process ${n}`)));
      const name = lease();
      const seen: number[] = [];
      for (let round = 0; round < 5; round++) {
        const epochs = await Promise.all(all.map((leases) => leases.hold(name)));
        const held = epochs.filter((epoch) => epoch !== undefined);
        expect(held).toHaveLength(1);
        seen.push(...held);
        await runOut(name);
        await sleep(2);
      }
      expect(seen).toEqual([1, 2, 3, 4, 5]);
    });

    it('are independent by name', async () => {
      const [one, two] = [await process('one'), await process('two')];
      const [left, right] = [lease(), lease()];
      expect(await one.hold(left)).toBe(1);
      expect(await two.hold(right)).toBe(1);
    });
  });
}
