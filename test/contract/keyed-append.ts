import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqlEventLog } from '../../src/adapters/sqllog/sql-event-log.ts';
import { openSqlKeyVault } from '../../src/adapters/vault/sql-key-vault.ts';
import type { EventLog } from '../../src/ports/event-log.ts';
import { KeyTaken, type KeyRef, type KeyVault } from '../../src/ports/key-vault.ts';
import type { Sql } from '../../src/ports/sql.ts';
import { freshStream, ids, storedEvent } from '../support/log-events.ts';

/** Contract of a log in the same database as the vault (`takesKeys`). `open` returns an empty database. */
export function keyedAppendContract(name: string, open: () => Promise<Sql>): void {
  describe(name, () => {
    const rootKey = randomBytes(32);
    let sql: Sql;
    let log: EventLog;
    let vault: KeyVault;

    beforeAll(async () => {
      sql = await open();
      log = await openSqlEventLog(sql);
      vault = await openSqlKeyVault(sql, rootKey);
    });

    afterAll(async () => {
      await log?.close();
      await vault?.close();
      await sql?.close();
    });

    const subject = randomUUID();
    const fresh = (): KeyRef => ({ tenant: 'acme', id: randomUUID(), subject });
    const inTheVault = async ({ tenant, id }: KeyRef) =>
      (await (await openSqlKeyVault(sql, rootKey)).open(tenant, [id])).get(id);

    it('accepts keys', () => {
      expect(log.takesKeys).toBe(true);
    });

    it('stores the key and the event atomically', async () => {
      const ref = fresh();
      const draft = await vault.draft(ref);
      expect(await inTheVault(ref)).toBeUndefined();
      await log.append(freshStream(), 'noStream', [storedEvent()], draft);
      expect(await inTheVault(ref)).toEqual(draft.key);
    });

    it('keeps an existing key, writes nothing for it, and writes all other appends of the group', async () => {
      const taken = fresh();
      const key = await vault.ensure(taken);
      const refs = [fresh(), taken, fresh()];
      const streams = refs.map(() => freshStream());
      const plain = freshStream();
      const drafts = await Promise.all(refs.map((ref) => vault.draft(ref)));
      const outcomes = await Promise.allSettled([
        ...streams.map((stream, index) => log.append(stream, 'noStream', [storedEvent()], drafts[index])),
        log.append(plain, 'noStream', [storedEvent()]),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'fulfilled',
        'fulfilled',
      ]);
      expect((outcomes[1] as PromiseRejectedResult).reason).toBeInstanceOf(KeyTaken);
      expect(await inTheVault(taken)).toEqual(key);
      expect(await inTheVault(refs[0]!)).toEqual(drafts[0]!.key);
      expect(await inTheVault(refs[2]!)).toEqual(drafts[2]!.key);
      const found = await Promise.all([...streams, plain].map((stream) => log.readStream(stream)));
      expect(found.map((events) => events.length)).toEqual([1, 0, 1, 1]);
    });

    it('keeps the tombstone of a destroyed key, and writes nothing', async () => {
      const ref = fresh();
      await vault.destroy(ref.tenant, ref.id);
      const stream = freshStream();
      await expect(
        log.append(stream, 'noStream', [storedEvent()], await vault.draft(ref)),
      ).rejects.toMatchObject({ name: 'KeyTaken', keyId: ref.id });
      expect(await inTheVault(ref)).toBe('destroyed');
      expect(await log.readStream(stream)).toEqual([]);
    });

    it('keeps the first of two keys with the same id in one group', async () => {
      const ref = fresh();
      const drafts = [await vault.draft(ref), await vault.draft(ref)];
      const streams = [freshStream(), freshStream()];
      const outcomes = await Promise.allSettled(
        streams.map((stream, index) => log.append(stream, 'noStream', [storedEvent()], drafts[index])),
      );
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
      expect(await inTheVault(ref)).toEqual(drafts[0]!.key);
      expect(await log.readStream(streams[1]!)).toEqual([]);
    });

    describe('an append with a claim', () => {
      it('is written after its claim, in one transaction', async () => {
        const [stream, claim] = [freshStream(), freshStream()];
        const [event, claimed] = [storedEvent(), storedEvent()];
        const carried = { stream: claim, expected: 'noStream', events: [claimed] } as const;
        const { position, revision } = await log.append(stream, 'noStream', [event], undefined, carried);
        const [recorded] = await log.readStream(claim);
        expect(recorded).toMatchObject({ id: claimed.id, position: position - 1 });
        expect(revision).toBe(0);
        const again = await log.append(stream, 'noStream', [event], undefined, carried);
        expect(again).toMatchObject({ position, repeated: true });
      });

      it('leaves nothing, not even its key, if the claim is refused', async () => {
        const claim = freshStream();
        await log.append(claim, 'noStream', [storedEvent()]);
        const refs = [fresh(), fresh(), fresh()];
        const streams = refs.map(() => freshStream());
        const drafts = await Promise.all(refs.map((ref) => vault.draft(ref)));
        const outcomes = await Promise.allSettled(
          streams.map((stream, n) =>
            log.append(stream, 'noStream', [storedEvent()], drafts[n], {
              stream: n === 1 ? claim : freshStream(),
              expected: 'noStream',
              events: [storedEvent()],
            }),
          ),
        );
        expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
        expect((outcomes[1] as PromiseRejectedResult).reason).toMatchObject({
          name: 'WrongExpectedRevision',
          stream: claim,
          actual: 0,
        });
        const found = await Promise.all(streams.map((stream) => log.readStream(stream)));
        expect(found.map((events) => events.length)).toEqual([1, 0, 1]);
        expect(await inTheVault(refs[1]!)).toBeUndefined();
        expect(await inTheVault(refs[2]!)).toEqual(drafts[2]!.key);
      });
    });

    it('serves concurrent writers of several logs, each with its own key', async () => {
      const other = await openSqlEventLog(sql);
      const refs = Array.from({ length: 24 }, fresh);
      const drafts = await Promise.all(refs.map((ref) => vault.draft(ref)));
      const events = refs.map(() => storedEvent());
      const stream = freshStream();
      await Promise.all(
        drafts.map((draft, n) => (n % 2 === 0 ? log : other).append(stream, 'any', [events[n]!], draft)),
      );
      await other.close();
      expect(ids(await log.readStream(stream)).toSorted()).toEqual(ids(events).toSorted());
      for (const { ref, key } of drafts) expect(await inTheVault(ref)).toEqual(key);
    });
  });
}
