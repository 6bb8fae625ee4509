import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashOf, metadataOf } from '../../src/adapters/eventstore/codec.ts';
import { SealedEventStore } from '../../src/adapters/eventstore/sealed-event-store.ts';
import type { StratalogEvent } from '../../src/domain/events/registry.ts';
import { decide, initialState } from '../../src/domain/memory/memory.ts';
import { memoryStream } from '../../src/domain/streams.ts';
import { LogUnavailable, type EventLog, type RecordedEvent } from '../../src/ports/event-log.ts';
import {
  memoryKey,
  memoryValue,
  openTestStore,
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

/** Stores a memory under a key of its own. */
async function storeMemory(more: Parameters<typeof memoryValue>[0] = {}, reason?: string) {
  const value = memoryValue(more);
  const stream = memoryStream('acme', value.id);
  const key = memoryKey();
  const events = decide({ type: 'store', value }, initialState);
  const context = testContext({ key, ...(reason !== undefined && { reason }) });
  await test.store.append(stream, 'noStream', events, context);
  return { value, stream, key, events };
}

describe('what the log holds', () => {
  it('is nothing of content, metadata, tags, external ids, queries, notes, names and reasons', async () => {
    const secret = (what: string) => `sesame${what}`;
    const { stream, key, value } = await storeMemory(
      {
        content: secret('content'),
        externalId: secret('externalid'),
        tags: [secret('tag')],
        metadata: { [secret('key')]: { deep: [secret('value'), 4711.25] } },
        representations: { code: secret('representation') },
      },
      secret('reason'),
    );
    const seal = testContext({ key, reason: secret('second reason') });
    const others: [Parameters<typeof test.store.append>[0], StratalogEvent][] = [
      [
        stream,
        {
          type: 'MemoryUpdated',
          data: {
            memoryId: value.id,
            content: secret('new content'),
            contentLength: 9,
            tags: [secret('new tag')],
            metadata: { a: secret('new value') },
            representations: { graph: secret('graph') },
          },
        },
      ],
      [
        stream,
        { type: 'MemoryDeleted', data: { memoryId: value.id, retentionUntil: '2030-01-01T00:00:00.000Z' } },
      ],
      [
        `feedback-acme.${value.id}`,
        {
          type: 'FeedbackGiven',
          data: { memoryId: value.id, kind: 'helpful', score: 1, note: secret('note') },
        },
      ],
      [
        `retrieval-acme.${uuid()}`,
        {
          type: 'SearchPerformed',
          data: {
            searchId: uuid(),
            topK: 10,
            threshold: 0.7,
            order: 'precedence',
            readPosition: 1,
            results: [{ memoryId: value.id, rank: 1, score: 0.9 }],
            warnings: [],
            durationMs: 3,
            query: secret('query'),
            filter: { tags: { eq: secret('filter') } },
            sessionId: secret('session'),
          },
        },
      ],
      [
        `retrieval-acme.${uuid()}`,
        { type: 'AuditRead', data: { what: 'events', items: 3, parameters: { actor: secret('parameter') } } },
      ],
      [
        `tenant-acme.${uuid()}`,
        {
          type: 'ApiKeyCreated',
          data: {
            keyId: '1',
            secretHash: 'ab',
            role: 'member',
            orgs: [],
            teams: [],
            projects: [],
            sessions: [],
            agents: [],
            name: secret('name'),
          },
        },
      ],
    ];
    for (const [to, event] of others) await test.store.append(to, 'any', [event], seal);

    const rows = await test.sql.query<{ row: string }>('select to_jsonb(e)::text as row from log.events e');
    const dump = rows
      .map(({ row }) => row)
      .join('\n')
      .toLowerCase();
    expect(dump).not.toContain('sesame');
    expect(dump).not.toContain('4711');
    for (const part of ['sesame', 'content":"', 'second reason']) {
      for (let shift = 0; shift < 3; shift++) {
        const inBase64 = Buffer.from('x'.repeat(shift) + part).toString('base64');
        expect(dump).not.toContain(inBase64.slice(4, -4).toLowerCase());
      }
    }
    // What routing needs is there, so the dump is not simply empty.
    expect(dump).toContain(value.id);
    expect(dump).toContain('retentionuntil');
  });

  it('differs for the same content each time', async () => {
    const [one, two] = [await storeMemory({ content: 'same' }), await storeMemory({ content: 'same' })];
    const sealed = await Promise.all(
      [one, two].map(async ({ stream }) => {
        const [recorded] = await test.log.readStream(stream);
        return (JSON.parse(recorded!.data) as { sealed: string }).sealed;
      }),
    );
    expect(sealed[0]!.slice(0, 40)).not.toBe(sealed[1]!.slice(0, 40));
  });

  it('opens nowhere but where it was written', async () => {
    const one = await storeMemory();
    const [recorded] = await test.log.readStream(one.stream);
    const elsewhere = memoryStream('acme', uuid());
    await test.log.append(elsewhere, 'noStream', [{ ...recorded!, id: uuid() }]);
    await expect(test.store.load(elsewhere)).rejects.toThrow(/cannot be read/);
  });

  it('is refused without a key where something is to be sealed', async () => {
    const value = memoryValue();
    const events = decide({ type: 'store', value }, initialState);
    const append = test.store.append(memoryStream('acme', value.id), 'noStream', events, testContext());
    await expect(append).rejects.toThrow(/needs a key/);
  });
});

describe('what is read', () => {
  it('is what was appended, with its reason and who caused it', async () => {
    const { stream, events, key } = await storeMemory(
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

  it('of an erased memory are the routing fields alone', async () => {
    const { stream, key, value } = await storeMemory({ externalId: 'x-2' }, 'because');
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

  it.each(cases)('%s is reported with its place, and hides nothing else', async (_, event) => {
    const { stream: good } = await storeMemory();
    const bad = freshStream();
    const recorded = storedEvent(event);
    const { position } = await test.log.append(bad, 'noStream', [recorded]);
    const { stream: next } = await storeMemory();
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

  it('because a byte of its ciphertext changed is reported', async () => {
    const { stream } = await storeMemory();
    await test.sql.query(
      `update log.events set data = regexp_replace(data, '(sealed":".{30})(.)', '\\1' || case when data ~ 'sealed":".{30}A' then 'B' else 'A' end)
       where stream = $1`,
      [stream],
    );
    await expect(test.store.load(stream)).rejects.toThrow(/cannot be read/);
  });
});

describe('the hash of an event', () => {
  const verifies = (recorded: RecordedEvent): boolean => {
    try {
      const { hash, ...metadata } = metadataOf(recorded);
      return hash === hashOf(recorded.stream, recorded.type, recorded.schemaVersion, recorded.data, metadata);
    } catch {
      return false;
    }
  };

  it('verifies, and tells each changed byte', async () => {
    const { stream } = await storeMemory({}, 'because');
    const [recorded] = await test.log.readStream(stream);
    expect(verifies(recorded!)).toBe(true);
    for (const field of ['data', 'metadata', 'type'] as const) {
      const text = recorded![field];
      for (let at = 0; at < text.length; at++) {
        const other = text[at] === 'A' ? 'B' : 'A';
        expect(verifies({ ...recorded!, [field]: text.slice(0, at) + other + text.slice(at + 1) })).toBe(
          false,
        );
      }
    }
    expect(verifies({ ...recorded!, schemaVersion: 2 })).toBe(false);
    expect(verifies({ ...recorded!, stream: freshStream() })).toBe(false);
  });
});

describe('an append whose outcome is unknown', () => {
  /** The log, with the ids of each append. */
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
    }) as EventLog;
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

  it('ends as unavailable where the log stays away', async () => {
    const { appends, store } = recording();
    test.sql.fault = failing('log.append', 'before', Infinity);
    const append = store.append(freshStream('links'), 'noStream', [linked()], testContext());
    await expect(append).rejects.toBeInstanceOf(LogUnavailable);
    expect(appends.length).toBeGreaterThan(1);
    expect(new Set(appends.flat()).size).toBe(1);
  });

  it('is not repeated where the log has answered', async () => {
    const { appends, store } = recording();
    const append = store.append(freshStream('links'), 7, [linked()], testContext());
    await expect(append).rejects.toMatchObject({ name: 'WrongExpectedRevision' });
    expect(appends).toHaveLength(1);
  });
});
