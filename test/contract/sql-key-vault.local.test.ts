import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openPglite } from '../../src/adapters/pglite/open.ts';
import { openSqlKeyVault, WrongRootKey } from '../../src/adapters/vault/sql-key-vault.ts';
import { KeyDestroyed } from '../../src/ports/key-vault.ts';
import type { Sql } from '../../src/ports/sql.ts';
import { FaultySql } from '../support/faulty-sql.ts';
import { keyVaultContract } from './key-vault.ts';
import { keyedAppendContract } from './keyed-append.ts';

keyVaultContract('the SQL vault on PGlite', async () => {
  const sql = await openPglite();
  return { open: (rootKey) => openSqlKeyVault(sql, rootKey), close: () => sql.close() };
});

keyedAppendContract('log and vault in one PGlite', () => openPglite());

describe('the SQL vault', () => {
  const rootKey = randomBytes(32);
  let sql: Sql;

  beforeAll(async () => {
    sql = await openPglite();
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });

  afterAll(() => sql.close());

  const ref = () => ({ tenant: 'acme', id: randomUUID(), subject: randomUUID() });

  it('stores no key in clear text, and not the root key', async () => {
    const vault = await openSqlKeyVault(sql, rootKey);
    const mine = ref();
    const key = Buffer.from(await vault.ensure(mine));
    const [dump] = await sql.query<{ bytes: string }>(`
      select string_agg(encode(bytes, 'hex'), ' ') as bytes from (
        select proof as bytes from control.vault
        union all select wrapped from control.subject_keys union all select wrapped from control.data_keys) all_bytes`);
    expect(dump!.bytes.length).toBeGreaterThan(200);
    expect(dump!.bytes).not.toContain(key.toString('hex'));
    expect(dump!.bytes).not.toContain(Buffer.from(rootKey).toString('hex'));
  });

  it('reports a wrong root key with its own error', async () => {
    await openSqlKeyVault(sql, rootKey);
    await expect(openSqlKeyVault(sql, randomBytes(32))).rejects.toBeInstanceOf(WrongRootKey);
  });

  it('leaves a tombstone without key bytes, and the time of the first destruction', async () => {
    const vault = await openSqlKeyVault(sql, rootKey);
    const { tenant, id, subject } = ref();
    await vault.ensure({ tenant, id, subject });
    const row = () =>
      sql.query('select wrapped, destroyed_at from control.data_keys where tenant = $1 and id = $2', [
        tenant,
        id,
      ]);
    await vault.destroy(tenant, id);
    const first = await row();
    expect(first).toEqual([{ wrapped: null, destroyed_at: expect.any(Date) as Date }]);
    await vault.destroy(tenant, id);
    expect(await row()).toEqual(first);
  });

  it('wraps keys by subject: without the subject’s key all keys wrapped by it are destroyed, and no others', async () => {
    const vault = await openSqlKeyVault(sql, rootKey);
    const [one, two, other] = [ref(), ref(), ref()];
    const same = { ...two, subject: one.subject };
    await vault.ensure(one);
    await vault.ensure(same);
    const kept = await vault.ensure(other);
    await sql.query(
      'update control.subject_keys set wrapped = null, destroyed_at = now() where tenant = $1 and subject = $2',
      ['acme', one.subject],
    );
    const next = await openSqlKeyVault(sql, rootKey);
    expect(await next.open('acme', [one.id, same.id, other.id])).toEqual(
      new Map<string, unknown>([
        [one.id, 'destroyed'],
        [same.id, 'destroyed'],
        [other.id, kept],
      ]),
    );
    const later = { ...ref(), subject: one.subject };
    expect(await next.ensure(later)).toHaveLength(32);
    expect(
      await sql.query('select subject from control.data_keys where tenant = $1 and id = $2', [
        'acme',
        later.id,
      ]),
    ).toEqual([{ subject: `${one.subject}.1` }]);
  });

  it('does not open keys that were swapped in the database, but still opens the others', async () => {
    const vault = await openSqlKeyVault(sql, rootKey);
    const one = ref();
    const two = { ...ref(), subject: one.subject };
    await vault.ensure(one);
    await vault.ensure(two);
    await sql.query(
      `update control.data_keys set wrapped = (select wrapped from control.data_keys where id = $1) where id = $2`,
      [one.id, two.id],
    );
    const next = await openSqlKeyVault(sql, rootKey);
    const keys = await next.open('acme', [one.id, two.id]);
    expect([...keys.keys()]).toEqual([one.id]);
  });

  it('uses a key no longer than 30 s after another process destroyed it', async () => {
    const [here, there] = [await openSqlKeyVault(sql, rootKey), await openSqlKeyVault(sql, rootKey)];
    const mine = ref();
    await here.ensure(mine);
    await there.destroy(mine.tenant, mine.id);
    const now = performance.now();
    vi.spyOn(performance, 'now').mockReturnValue(now + 30_001);
    expect((await here.open('acme', [mine.id])).get(mine.id)).toBe('destroyed');
    await expect(here.ensure(mine)).rejects.toBeInstanceOf(KeyDestroyed);
  });

  it('does not query the database again for a recently used key', async () => {
    const faulty = new FaultySql(sql);
    const vault = await openSqlKeyVault(faulty, rootKey);
    const mine = ref();
    const key = await vault.ensure(mine);
    faulty.fault = () => 'before';
    expect(await vault.ensure(mine)).toEqual(key);
    expect(await vault.open('acme', [mine.id])).toEqual(new Map([[mine.id, key]]));
  });

  it('does not cache a key that was destroyed while it was being read', async () => {
    const faulty = new FaultySql(sql);
    const maker = await openSqlKeyVault(sql, rootKey);
    const vault = await openSqlKeyVault(faulty, rootKey);
    const mine = ref();
    await maker.ensure(mine);
    // The data key is destroyed after its row was read and before the subject's key is read.
    faulty.fault = async (statement) => {
      if (statement.includes('control.subject_keys')) await vault.destroy(mine.tenant, mine.id);
      return undefined;
    };
    await vault.open('acme', [mine.id]);
    faulty.fault = () => undefined;
    expect((await vault.open('acme', [mine.id])).get(mine.id)).toBe('destroyed');
    await expect(vault.ensure(mine)).rejects.toBeInstanceOf(KeyDestroyed);
  });

  it('returns only stored keys, even after a lost reply', async () => {
    const faulty = new FaultySql(sql);
    const vault = await openSqlKeyVault(faulty, rootKey);
    const mine = ref();
    let lost = false;
    faulty.fault = (statement) => {
      if (lost || !statement.includes('control.insert_data_keys')) return undefined;
      lost = true;
      return 'after';
    };
    await expect(vault.ensure(mine)).rejects.toThrow();
    const key = await vault.ensure(mine);
    expect(await (await openSqlKeyVault(sql, rootKey)).ensure(mine)).toEqual(key);
  });

  it('has a key on disk before it returns it', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'stratalog-vault-'));
    const onDisk = await openPglite({ dataDir });
    try {
      const vault = await openSqlKeyVault(onDisk, rootKey);
      await vault.ensure(ref());
      const [row] = await onDisk.query<{ flushed: boolean }>(
        'select pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn() as flushed',
      );
      expect(row).toEqual({ flushed: true });
    } finally {
      await onDisk.close();
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});
