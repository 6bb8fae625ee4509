import { afterAll, beforeAll, expect, it } from 'vitest';
import { findSubjectStreams } from '../../src/commands/erasure/subject-streams.ts';
import type { ErasureTarget } from '../../src/domain/erasure/events.ts';
import { decide, initialState } from '../../src/domain/memory/memory.ts';
import { memoryStream } from '../../src/domain/streams.ts';
import {
  memoryKey,
  memoryValue,
  openTestStore,
  testContext,
  type TestStore,
} from '../support/event-store.ts';

const { signal } = new AbortController();
let test: TestStore;

beforeAll(async () => {
  test = await openTestStore();
});

afterAll(() => test.close());

/** Stores a memory about a subject and returns its id. */
async function storeAbout(tenant: string, subject: string): Promise<string> {
  const value = memoryValue();
  const key = { ...memoryKey(value.id, tenant), subject };
  const events = decide({ type: 'store', value }, initialState);
  const stream = memoryStream(tenant, value.id);
  await test.store.append(stream, 'noStream', events, testContext({ tenant, key }));
  return value.id;
}

type Found = Extract<ErasureTarget, { kind: 'subject' | 'tenant' }>;
async function memoriesOf(tenant: string, target: Found): Promise<string[]> {
  const { memories } = await findSubjectStreams(test, tenant, target, signal);
  return memories.map(({ erasure }) => erasure.data.memoryId);
}

it('[F6] finds what a subject had when it was erased, and not what was stored for it later', async () => {
  const before = await storeAbout('acme', 'alice');
  await storeAbout('acme', 'bob');
  await test.vault.destroySubject('acme', 'alice', 0);
  await storeAbout('acme', 'alice');
  const target = { kind: 'subject', subject: 'alice', generation: 0 } as const;
  expect(await memoriesOf('acme', target)).toEqual([before]);
});

it('[F6] finds what a tenant had when it was erased, and not what was stored under its name later', async () => {
  const before = [await storeAbout('gone', 'alice'), await storeAbout('gone', 'bob')];
  await test.vault.destroyTenant('gone', 'first');
  await storeAbout('gone', 'alice');
  const target = { kind: 'tenant', tenant: 'gone', keys: 2 } as const;
  expect(await memoriesOf('gone', target)).toEqual(before);
});
