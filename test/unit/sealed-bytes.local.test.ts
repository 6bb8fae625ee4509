import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashOf, metadataOf } from '../../src/adapters/eventstore/codec.ts';
import type { StratalogEvent } from '../../src/domain/events/registry.ts';
import { decide, initialState } from '../../src/domain/memory/memory.ts';
import { memoryStream } from '../../src/domain/streams.ts';
import type { RecordedEvent } from '../../src/ports/event-log.ts';
import {
  memoryValue,
  openTestStore,
  storeTestMemory,
  testContext,
  type TestStore,
} from '../support/event-store.ts';
import { freshStream } from '../support/log-events.ts';

let test: TestStore;

beforeAll(async () => {
  test = await openTestStore();
});

beforeEach(() => {
  test.sql.fault = () => undefined;
});

afterAll(() => test.close());

describe('the stored log', () => {
  it('contains no content, metadata, tags, external ids, queries, notes, names or reasons', async () => {
    const secret = (what: string) => `sesame${what}`;
    const { stream, key, value } = await storeTestMemory(
      test,
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
            contentBytes: 9,
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
          data: {
            memoryId: value.id,
            kind: 'helpful',
            score: 1,
            isAuthoritative: true,
            note: secret('note'),
          },
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
            results: [{ memoryId: value.id, rank: 1, relevance: 0.9, score: 0.916 }],
            warnings: [],
            durationMs: 3,
            route: 'standard',
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
    expect(dump).not.toContain('4711.25');
    const sealedParts = rows.flatMap(({ row }) => /sealed\\":\\"([^"\\]+)/.exec(row)?.[1] ?? []);
    expect(sealedParts).toHaveLength(rows.length);
    for (const part of sealedParts)
      expect(Buffer.from(part, 'base64').toString('latin1')).not.toMatch(/sesame|reason/);
    // What routing needs is there, so the dump is not simply empty.
    expect(dump).toContain(value.id);
    expect(dump).toContain('retentionuntil');
  });

  it('differs each time for the same content', async () => {
    const [one, two] = [
      await storeTestMemory(test, { content: 'same' }),
      await storeTestMemory(test, { content: 'same' }),
    ];
    const sealed = await Promise.all(
      [one, two].map(async ({ stream }) => {
        const [recorded] = await test.log.readStream(stream);
        return (JSON.parse(recorded!.data) as { sealed: string }).sealed;
      }),
    );
    expect(sealed[0]!.slice(0, 40)).not.toBe(sealed[1]!.slice(0, 40));
  });

  it('can be decrypted only in the stream where it was written', async () => {
    const one = await storeTestMemory(test);
    const [recorded] = await test.log.readStream(one.stream);
    const elsewhere = memoryStream('acme', uuid());
    await test.log.append(elsewhere, 'noStream', [{ ...recorded!, id: uuid() }]);
    await expect(test.store.load(elsewhere)).rejects.toThrow(/cannot be read/);
  });

  it('rejects an append of sealed data without a key', async () => {
    const value = memoryValue();
    const events = decide({ type: 'store', value }, initialState);
    const append = test.store.append(memoryStream('acme', value.id), 'noStream', events, testContext());
    await expect(append).rejects.toThrow(/needs a key/);
  });
});

describe('the hash of an event', () => {
  const verifies = (recorded: RecordedEvent): boolean => {
    try {
      const { hash, ...metadata } = metadataOf(recorded);
      return hash === hashOf(recorded, metadata);
    } catch {
      return false;
    }
  };

  it('verifies, and detects every changed byte', async () => {
    const { stream } = await storeTestMemory(test, {}, 'because');
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
    expect(verifies({ ...recorded!, schemaVersion: recorded!.schemaVersion + 1 })).toBe(false);
    expect(verifies({ ...recorded!, stream: freshStream() })).toBe(false);
  });
});
