import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SealedEventStore } from '../../src/adapters/eventstore/sealed-event-store.ts';
import type { StratalogEvent } from '../../src/domain/events/registry.ts';
import { openSqlKeyVault } from '../../src/adapters/vault/sql-key-vault.ts';
import { decide, initialState } from '../../src/domain/memory/memory.ts';
import { memoryStream } from '../../src/domain/streams.ts';
import { LogUnavailable } from '../../src/ports/event-log.ts';
import { KeyDestroyed } from '../../src/ports/key-vault.ts';
import {
  memoryKey,
  memoryValue,
  openTestStore,
  storeTestMemory,
  testContext,
  type TestStore,
} from '../support/event-store.ts';
import { failing } from '../support/faulty-sql.ts';
import { freshStream, ids, storedEvent } from '../support/log-events.ts';

let test: TestStore;

beforeAll(async () => {
  test = await openTestStore();
});

beforeEach(() => {
  test.sql.fault = () => undefined;
});

afterAll(() => test.close());

describe('a loaded event', () => {
  it('equals the appended one, with its reason and who caused it', async () => {
    const { stream, events, key } = await storeTestMemory(
      test,
      { externalId: 'x-1', tags: ['a'], metadata: { n: [1, null, { ü: '😀' }] } },
      'because',
    );
    const [loaded] = await test.store.load(stream);
    expect(loaded).toMatchObject({ stream, revision: 0, erased: false, reason: 'because', event: events[0] });
    expect(loaded!.metadata).toMatchObject({
      ...testContext(),
      keyId: key.id,
      subject: key.subject,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    expect(await test.store.loadOne(stream, 0)).toEqual(loaded);
    expect(await test.store.loadOne(stream, 1)).toBeUndefined();
  });

  it('[F6] of an erasure lacks only the reason if a restored vault has no key for it', async () => {
    const { stream, value, key } = await storeTestMemory(test);
    const own = memoryKey();
    const erased: StratalogEvent = { type: 'MemoryErased', data: { memoryId: value.id, keyId: key.id } };
    await test.store.append(stream, 0, [erased], testContext({ key: own, reason: 'she asked for it' }));
    await test.sql.query('delete from control.data_keys where id = $1', [own.id]);
    const afterRestore = new SealedEventStore(test.log, await openSqlKeyVault(test.sql, test.rootKey));
    const loaded = await afterRestore.loadOne(stream, 1);
    expect(loaded).toMatchObject({ event: erased, erased: false });
    expect(loaded).not.toHaveProperty('reason');
  });

  it('of an erased memory has only the routing fields', async () => {
    const { stream, key, value } = await storeTestMemory(test, { externalId: 'x-2' }, 'because');
    await test.store.append(
      stream,
      0,
      [{ type: 'MemoryRestored', data: { memoryId: value.id } }],
      testContext(),
    );
    await test.vault.destroy(key.tenant, key.id);
    const [stored, restored] = await test.store.load(stream);
    expect(stored).toMatchObject({ erased: true });
    expect(stored!.reason).toBeUndefined();
    expect(stored!.event).toEqual({
      type: 'MemoryStored',
      data: {
        memoryId: value.id,
        layer: 'user',
        scope: { user: 'alice' },
        spaces: [],
        contentLength: value.content.length,
        contentBytes: Buffer.byteLength(value.content),
        createdBy: 'user:alice',
      },
    });
    expect(restored).toMatchObject({ erased: false, event: { type: 'MemoryRestored' } });
    const { events, unreadable } = await test.store.readAll({ after: stored!.position - 1, limit: 1 });
    expect(events).toEqual([stored]);
    expect(unreadable).toEqual([]);
  });
});

describe('an event that cannot be read', () => {
  const metadata = JSON.stringify({ ...testContext(), hash: '' });
  const sealed = JSON.stringify({ ...testContext(), keyId: uuid(), hash: '' });
  const cases: [string, Partial<Parameters<typeof storedEvent>[0]>][] = [
    ['of an unknown type', { type: 'MemoryTeleported', data: '{"routing":{}}', metadata }],
    ['of a newer version', { type: 'MemoryStored', schemaVersion: 99, data: '{"routing":{}}', metadata }],
    ['whose data is no JSON', { type: 'MemoryRestored', data: 'nonsense', metadata }],
    ['whose data has no fields', { type: 'MemoryRestored', data: 'null', metadata }],
    ['whose metadata is no JSON', { type: 'MemoryRestored', data: '{"routing":{}}', metadata: 'nonsense' }],
    ['whose metadata has no fields', { type: 'MemoryRestored', data: '{"routing":{}}', metadata: 'null' }],
    [
      'whose key never was',
      { type: 'MemoryStored', data: '{"routing":{},"sealed":"AAAA"}', metadata: sealed },
    ],
  ];

  it.each(cases)('%s is reported with its position, and hides no other events', async (_, event) => {
    const { stream: good } = await storeTestMemory(test);
    const bad = freshStream();
    const recorded = storedEvent(event);
    const { position } = await test.log.append(bad, 'noStream', [recorded]);
    const { stream: next } = await storeTestMemory(test);
    const page = await test.store.readAll({ after: position - 2, limit: 3 });
    expect(page.events.map(({ stream }) => stream)).toEqual([good, next]);
    expect(page.unreadable).toMatchObject([
      {
        stream: bad,
        revision: 0,
        position,
        type: recorded.type,
        error: { message: expect.stringContaining(bad) as string },
      },
    ]);
    await expect(test.store.load(bad)).rejects.toThrow(/cannot be read/);
    await expect(test.store.loadOne(bad, 0)).rejects.toThrow(/cannot be read/);
  });

  it('is reported if a byte of its ciphertext changed', async () => {
    const { stream } = await storeTestMemory(test);
    await test.sql.query(
      `update log.events set data = regexp_replace(data, '(sealed":".{30})(.)', '\\1' || case when data ~ 'sealed":".{30}A' then 'B' else 'A' end)
       where stream = $1`,
      [stream],
    );
    await expect(test.store.load(stream)).rejects.toThrow(/cannot be read/);
  });
});

describe('an append with a given key', () => {
  const storing = () => {
    const value = memoryValue();
    return {
      stream: memoryStream('acme', value.id),
      events: decide({ type: 'store', value }, initialState),
      content: value.content,
    };
  };

  it('queries the database once for both', async () => {
    await storeTestMemory(test);
    const statements: string[] = [];
    test.sql.fault = (statement) => {
      statements.push(statement);
      return undefined;
    };
    const { stream, events } = storing();
    const subject = 'somebody known';
    await test.vault.ensure({ ...memoryKey(), subject });
    statements.length = 0;
    await test.store.append(
      stream,
      'noStream',
      events,
      testContext({ key: { ...memoryKey(), subject }, keyIsNew: true }),
    );
    expect(statements).toEqual([expect.stringContaining('control.append_with_keys')]);
    await test.store.load(stream);
    expect(statements).toHaveLength(2);
  });

  it('uses the existing key, for instance of an earlier attempt', async () => {
    const key = memoryKey();
    await test.vault.ensure(key);
    const { stream, events, content } = storing();
    await test.store.append(stream, 'noStream', events, testContext({ key, keyIsNew: true }));
    expect((await test.store.load(stream))[0]).toMatchObject({ event: { data: { content } } });
  });

  it('writes nothing with a destroyed key', async () => {
    const key = memoryKey();
    await test.vault.destroy(key.tenant, key.id);
    const { stream, events } = storing();
    const append = test.store.append(stream, 'noStream', events, testContext({ key, keyIsNew: true }));
    await expect(append).rejects.toBeInstanceOf(KeyDestroyed);
    expect(await test.log.readStream(stream)).toEqual([]);
  });
});

describe('an append whose outcome is unknown', () => {
  /** A log that records the event ids of each append. */
  const recording = () => {
    const appends: string[][] = [];
    const log = new Proxy(test.log, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]): unknown => {
          if (name === 'append') appends.push(ids(args[2] as { id: string }[]));
          return Reflect.apply(member, target, args);
        };
      },
    });
    return { appends, store: new SealedEventStore(log, test.vault) };
  };
  const linked = (): StratalogEvent => ({
    type: 'MemoriesLinked',
    data: { source: uuid(), target: uuid(), type: 'related', confidence: 1 },
  });

  it('is repeated with the same ids and written once', async () => {
    const { appends, store } = recording();
    const stream = freshStream('links');
    test.sql.fault = failing('log.append', 'after', 2);
    const result = await store.append(stream, 'noStream', [linked(), linked()], testContext());
    expect(result).toMatchObject({ revision: 1, repeated: true });
    expect(appends).toEqual([appends[0], appends[0], appends[0]]);
    expect(ids(await test.log.readStream(stream))).toEqual(appends[0]);
  });

  it('is written once, and can be read, if it adds its key to the vault', async () => {
    const { appends, store } = recording();
    const value = memoryValue();
    const stream = memoryStream('acme', value.id);
    const context = testContext({ key: memoryKey(), keyIsNew: true });
    const events = decide({ type: 'store', value }, initialState);
    test.sql.fault = failing('append_with_keys', 'after', 1);
    await store.append(stream, 'noStream', events, context);
    expect(new Set(appends.flat()).size).toBe(1);
    test.sql.fault = () => undefined;
    const other = await openSqlKeyVault(test.sql, test.rootKey);
    const [loaded, ...more] = await new SealedEventStore(test.log, other).load(stream);
    expect(loaded).toMatchObject({ erased: false, event: { data: { content: value.content } } });
    expect(more).toEqual([]);
  });

  it('ends as unavailable if the log stays down', async () => {
    const { appends, store } = recording();
    test.sql.fault = failing('log.append', 'before', Infinity);
    const append = store.append(freshStream('links'), 'noStream', [linked()], testContext());
    await expect(append).rejects.toBeInstanceOf(LogUnavailable);
    expect(appends.length).toBeGreaterThan(1);
    expect(new Set(appends.flat()).size).toBe(1);
  });

  it('is not repeated if the log has answered', async () => {
    const { appends, store } = recording();
    const append = store.append(freshStream('links'), 7, [linked()], testContext());
    await expect(append).rejects.toMatchObject({ name: 'WrongExpectedRevision' });
    expect(appends).toHaveLength(1);
  });
});
