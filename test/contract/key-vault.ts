import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KeyDestroyed, type KeyRef, type KeyVault } from '../../src/ports/key-vault.ts';

/** Vaults on top of the same keys, each with its own caches, as in separate processes. */
export interface VaultStore {
  open(rootKey: Uint8Array): Promise<KeyVault>;
  close(): Promise<void>;
}

/** Contract of every `KeyVault`. */
export function keyVaultContract(name: string, openStore: () => Promise<VaultStore>): void {
  describe(`${name} as KeyVault`, () => {
    const rootKey = randomBytes(32);
    let store: VaultStore;
    let vault: KeyVault;

    beforeAll(async () => {
      store = await openStore();
      vault = await store.open(rootKey);
    });

    afterAll(async () => {
      await vault?.close();
      await store?.close();
    });

    const fresh = (more: Partial<KeyRef> = {}): KeyRef => ({
      tenant: 'acme',
      id: randomUUID(),
      subject: 'somebody',
      ...more,
    });
    const openOne = async (from: KeyVault, { tenant, id }: KeyRef) => (await from.open(tenant, [id])).get(id);

    it('creates a key of 256 bits at first and then returns the same one to every process', async () => {
      const ref = fresh();
      const key = await vault.ensure(ref);
      expect(key).toHaveLength(32);
      expect(await vault.ensure(ref)).toEqual(key);
      expect(await openOne(vault, ref)).toEqual(key);
      const other = await store.open(rootKey);
      expect(await openOne(other, ref)).toEqual(key);
      expect(await other.ensure(ref)).toEqual(key);
    });

    it('has a separate key for each id and tenant', async () => {
      const id = randomUUID();
      const keys = await Promise.all(
        [fresh({ id }), fresh({ id, tenant: 'other' }), fresh(), fresh({ subject: 'another' })].map((ref) =>
          vault.ensure(ref),
        ),
      );
      expect(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size).toBe(4);
    });

    it('opens existing keys and leaves out unknown ones', async () => {
      const [one, two] = [fresh(), fresh()];
      const keys = [await vault.ensure(one), await vault.ensure(two)];
      for (const from of [vault, await store.open(rootKey)]) {
        const found = await from.open('acme', [one.id, two.id, one.id, randomUUID()]);
        expect(found).toEqual(
          new Map([
            [one.id, keys[0]],
            [two.id, keys[1]],
          ]),
        );
        expect(await from.open('other', [one.id])).toEqual(new Map());
        expect(await from.open('acme', [])).toEqual(new Map());
      }
    });

    it('creates one key for concurrent requests of several processes', async () => {
      const ref = fresh({ subject: randomUUID() });
      const vaults = [vault, await store.open(rootKey), await store.open(rootKey)];
      const keys = await Promise.all(
        Array.from({ length: 24 }, (_, n) => vaults[n % vaults.length]!.ensure(ref)),
      );
      expect(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size).toBe(1);
      expect(await openOne(await store.open(rootKey), ref)).toEqual(keys[0]);
    });

    it('accepts names with any characters', async () => {
      const ids = ['a/b', 'a', 'b/a', "'; drop", 'ä€😀', ' '];
      const keys = await Promise.all(ids.map((id) => vault.ensure(fresh({ id, subject: id }))));
      const other = await store.open(rootKey);
      expect(await other.open('acme', ids)).toEqual(new Map(ids.map((id, index) => [id, keys[index]!])));
    });

    describe('a destroyed key', () => {
      it('stays destroyed: it opens as destroyed and is never created again', async () => {
        const ref = fresh();
        await vault.ensure(ref);
        await vault.destroy(ref.tenant, ref.id);
        for (const from of [vault, await store.open(rootKey)]) {
          expect(await openOne(from, ref)).toBe('destroyed');
          await expect(from.ensure(ref)).rejects.toBeInstanceOf(KeyDestroyed);
          await expect(from.ensure({ ...ref, subject: 'another' })).rejects.toMatchObject({ keyId: ref.id });
        }
      });

      it('does not affect other keys', async () => {
        const [gone, kept] = [fresh(), fresh()];
        const elsewhere = fresh({ id: gone.id, tenant: 'other' });
        const keys = [await vault.ensure(kept), await vault.ensure(elsewhere)];
        await vault.ensure(gone);
        await vault.destroy(gone.tenant, gone.id);
        const other = await store.open(rootKey);
        expect([await openOne(other, kept), await openOne(other, elsewhere)]).toEqual(keys);
      });

      it('may be destroyed again, and before it was created', async () => {
        const [twice, never] = [fresh(), fresh()];
        await vault.ensure(twice);
        await vault.destroy(twice.tenant, twice.id);
        await vault.destroy(twice.tenant, twice.id);
        await vault.destroy(never.tenant, never.id);
        expect(await openOne(vault, never)).toBe('destroyed');
        await expect(vault.ensure(never)).rejects.toBeInstanceOf(KeyDestroyed);
      });

      it('stays destroyed despite concurrent calls that create or open it', async () => {
        for (let round = 0; round < 10; round++) {
          const ref = fresh({ subject: randomUUID() });
          await Promise.allSettled([
            vault.ensure(ref),
            openOne(vault, ref),
            vault.destroy(ref.tenant, ref.id),
            vault.ensure(ref),
            openOne(vault, ref),
          ]);
          expect(await openOne(vault, ref)).toBe('destroyed');
          await expect(vault.ensure(ref)).rejects.toBeInstanceOf(KeyDestroyed);
        }
      });
    });

    describe('the key of a subject that was destroyed', () => {
      it('[F6] destroys every key that it wraps, in every process, and what comes later has the next one', async () => {
        const subject = randomUUID();
        const gone = [fresh({ subject }), fresh({ subject })];
        const kept = fresh({ subject: randomUUID() });
        const keptKey = await vault.ensure(kept);
        for (const ref of gone) await vault.ensure(ref);
        expect(await vault.generation('acme', subject)).toBe(0);
        expect(await vault.countKeys('acme', subject, 0)).toBe(2);
        await vault.destroySubject('acme', subject, 0);
        await vault.destroySubject('acme', subject, 0);
        for (const from of [vault, await store.open(rootKey)]) {
          for (const ref of gone) {
            expect(await openOne(from, ref)).toBe('destroyed');
            await expect(from.ensure(ref)).rejects.toBeInstanceOf(KeyDestroyed);
          }
          expect(await openOne(from, kept)).toEqual(keptKey);
          expect(await from.generation('acme', subject)).toBe(1);
        }
        const later = fresh({ subject });
        const key = await vault.ensure(later);
        // An erasure that is carried out again, as after a restore of the vault, leaves what came later.
        await vault.destroySubject('acme', subject, 0);
        expect(await openOne(await store.open(rootKey), later)).toEqual(key);
      });

      it('[F6] gives a renewable key another id from then on', async () => {
        const ref = fresh({ id: 'uses', subject: randomUUID(), renewable: true });
        const first = await vault.renewed(ref);
        expect(first).toEqual({ tenant: 'acme', id: 'uses', subject: ref.subject });
        await vault.ensure(first);
        await vault.destroySubject('acme', ref.subject, 0);
        const second = await vault.renewed(ref);
        expect(second.id).toBe('uses.1');
        await vault.ensure(second);
        expect(await openOne(vault, first)).toBe('destroyed');
      });

      it('[F6] stays destroyed despite concurrent calls that create or open keys', async () => {
        const subject = randomUUID();
        const before = fresh({ subject });
        await vault.ensure(before);
        await Promise.all([
          openOne(vault, before),
          vault.destroySubject('acme', subject, 0),
          openOne(vault, before),
        ]);
        expect(await openOne(vault, before)).toBe('destroyed');
      });
    });

    describe('the keys of a tenant that were destroyed', () => {
      it('[F6] stay destroyed in every process, and those of another tenant are not affected', async () => {
        const tenant = randomUUID();
        const gone = [fresh({ tenant }), fresh({ tenant, subject: 'another' })];
        const kept = fresh();
        const keptKey = await vault.ensure(kept);
        for (const ref of gone) await vault.ensure(ref);
        expect(await vault.countTenantKeys(tenant)).toBe(2);
        await vault.destroyTenant(tenant, 'first');
        expect(await vault.countTenantKeys(tenant)).toBe(0);
        for (const from of [vault, await store.open(rootKey)]) {
          for (const ref of gone) expect(await openOne(from, ref)).toBe('destroyed');
          expect(await openOne(from, kept)).toEqual(keptKey);
        }
      });

      it('[F6] are those from before the erasure, also when it is carried out again', async () => {
        const tenant = randomUUID();
        const [before, later] = [fresh({ tenant }), fresh({ tenant })];
        await vault.ensure(before);
        await vault.destroyTenant(tenant, 'first');
        const key = await vault.ensure(later);
        for (const from of [vault, await store.open(rootKey)]) {
          await from.destroyTenant(tenant, 'first');
          expect(await openOne(from, before)).toBe('destroyed');
          expect(await openOne(from, later)).toEqual(key);
        }
        await vault.destroyTenant(tenant, 'second');
        expect(await openOne(await store.open(rootKey), later)).toBe('destroyed');
      });
    });

    describe('a pseudonym', () => {
      it('is the same for the same value, in 128 bits of hex, in every process', async () => {
        const name = vault.pseudonym('subject', 'acme', 'alice@example.org');
        expect(name).toMatch(/^[0-9a-f]{32}$/);
        expect(vault.pseudonym('subject', 'acme', 'alice@example.org')).toBe(name);
        expect((await store.open(rootKey)).pseudonym('subject', 'acme', 'alice@example.org')).toBe(name);
      });

      it('differs by purpose, tenant and value, independent of their boundaries', () => {
        const names = [
          ['subject', 'acme', 'alice'],
          ['command', 'acme', 'alice'],
          ['subject', 'acm', 'ealice'],
          ['subjecta', 'cme', 'alice'],
          ['subject', 'acme', 'Alice'],
          ['subject', 'acme', '","acme","alice'],
          ['subject', 'acme', ''],
        ].map(([purpose, tenant, value]) => vault.pseudonym(purpose!, tenant!, value!));
        expect(new Set(names).size).toBe(names.length);
      });
    });

    it('does not open with another root key, and the attempt changes nothing', async () => {
      const ref = fresh();
      const key = await vault.ensure(ref);
      await expect(store.open(randomBytes(32))).rejects.toThrow(/another root key/);
      expect(await openOne(await store.open(rootKey), ref)).toEqual(key);
    });
  });
}
