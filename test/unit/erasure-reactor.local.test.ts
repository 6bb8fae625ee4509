import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../src/adapters/random.ts';
import { commandServices, eventContext } from '../../src/commands/context.ts';
import { forgetLesson, learnLesson } from '../../src/commands/experience/learn-lesson.ts';
import { summaryStreamOf } from '../../src/commands/summaries/summary-stream.ts';
import { systemTenant } from '../../src/domain/access/context.ts';
import { summaryScopeOf } from '../../src/domain/summaries/summary-scope.ts';
import { lessonStream } from '../../src/domain/streams.ts';
import { ReactorProcessor } from '../../src/follow/reactor-processor.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { erasureReactor } from '../../src/reactors/erasure-reactor.ts';
import { openTestStore, storeTestMemory, testContext, type TestStore } from '../support/event-store.ts';

let test: TestStore;

beforeAll(async () => {
  test = await openTestStore();
});

afterAll(() => test.close());

/** Leaves the state of a process that is killed between appending the event and destroying the key. */
async function eraseHalf(): Promise<{ readonly tenant: string; readonly id: string }> {
  const { value, stream, key } = await storeTestMemory(test, { content: 'my secret' });
  const erased = { type: 'MemoryErased' as const, data: { memoryId: value.id, keyId: key.id } };
  await test.store.append(stream, 'exists', [erased], testContext());
  return key;
}

it('[F6] completes every erasure in the log, even if the database followed another log before', async () => {
  const { store, vault, sql } = test;
  const services = commandServices({ store, vault, clock: systemClock, newId });
  const none: readonly string[] = [];
  const places = { orgs: none, teams: none, projects: none, sessions: none, agents: none };
  const caller = { tenant: systemTenant, principal: 'system', roles: [], ...places };
  const context = { caller, cause: 'system' as const, correlationId: 'erasures' };
  const onParked = (error: unknown) => {
    throw error;
  };
  const reactor = new ReactorProcessor(erasureReactor(services, context), { sql, store, onParked });
  const isGone = async ({ tenant, id }: { readonly tenant: string; readonly id: string }) =>
    (await vault.open(tenant, [id])).get(id) === 'destroyed';
  const first = await eraseHalf();
  await reactor.catchUp();
  expect(await isGone(first)).toBe(true);

  const second = await eraseHalf();
  await sql.query(
    `update follow.checkpoints set position = 1000000000, partition = 'another' where name = 'erasures'`,
  );
  await reactor.catchUp();
  expect(await isGone(second)).toBe(true);
});

it('[F6] erases a summary that was made while a memory that it quotes was erased', async () => {
  const { store, vault, sql, log } = test;
  const services = commandServices({ store, vault, clock: systemClock, newId });
  const { value, stream, key } = await storeTestMemory(test, { content: 'my secret' });
  const { tenant } = key;
  const erased = { type: 'MemoryErased' as const, data: { memoryId: value.id, keyId: key.id } };
  await store.append(stream, 'exists', [erased], testContext());
  const none: readonly string[] = [];
  const places = { orgs: none, teams: none, projects: none, sessions: none, agents: none };
  const context = {
    caller: { tenant: systemTenant, principal: 'system', roles: [], ...places },
    cause: 'system' as const,
    correlationId: 'erasures',
  };
  const inTenant = { ...context, caller: { ...context.caller, tenant } };
  const summarized = summaryScopeOf(value);
  const summary = summaryStreamOf(vault, tenant, summarized);
  const summaryKey = { tenant, id: `summary.${newId()}`, subject: key.subject };
  await store.append(
    summary,
    'noStream',
    [
      {
        type: 'SummaryGenerated',
        data: {
          ...summarized,
          trigger: 'refresh',
          model: 'extractive-1',
          tokenizer: 'o200k_base',
          sourceHash: '1:0',
          memories: 1,
          readPosition: 1,
          namesUsers: false,
          summaries: [{ depth: 'sentence', tokenCount: 5, sources: [{ id: value.id, revision: 0 }] }],
          durationMs: 1,
          texts: ['my secret [1]'],
        },
      },
    ],
    { ...eventContext(inTenant, summaryKey), keyIsNew: true },
  );
  const onParked = (error: unknown) => {
    throw error;
  };
  const reactor = new ReactorProcessor(erasureReactor(services, context), { sql, store, onParked });
  await reactor.catchUp();
  expect((await vault.open(tenant, [summaryKey.id])).get(summaryKey.id)).toBe('destroyed');
  expect((await log.readStream(summary, { from: 0 })).map(({ type }) => type)).toEqual([
    'SummaryGenerated',
    'SummaryInvalidated',
  ]);
});

it('[F6] destroys the keys of lessons that were replaced or forgotten, even if their process was killed before it did', async () => {
  const { store, vault, sql } = test;
  const services = commandServices({ store, vault, clock: systemClock, newId });
  const none: readonly string[] = [];
  const places = { orgs: none, teams: none, projects: none, sessions: none, agents: none };
  const context = {
    caller: { tenant: 'acme', principal: 'system', roles: [], ...places },
    cause: 'system' as const,
    correlationId: 'lessons',
  };
  const killed = {
    ...services,
    vault: Object.assign(Object.create(vault) as typeof vault, {
      pseudonym: vault.pseudonym.bind(vault),
      destroy: () => Promise.reject(new Error('killed')),
    }),
  };
  const lessonId = newId();
  const texts = { title: 'Filter', description: 'Filter first', content: 'Do: filter' };
  const lesson = { ...texts, support: 2, failures: 0, model: 'rules-1' };
  const learn = (...traceIds: string[]) =>
    learnLesson(
      killed,
      context,
      { lessonId, layer: 'user', scope: { user: 'mia' }, traceIds },
      async () => lesson,
    );
  await learn('t1', 't2');
  await expect(learn('t1', 't2', 't3')).rejects.toThrow('killed');
  const onParked = (error: unknown) => {
    throw error;
  };
  const reactor = new ReactorProcessor(erasureReactor(services, context), { sql, store, onParked });
  const erased = async () =>
    (await store.load(lessonStream('acme', lessonId))).map((loaded) => loaded.erased);
  await reactor.catchUp();
  expect(await erased()).toEqual([true, false]);
  await expect(forgetLesson(killed, context, lessonId, 'erased')).rejects.toThrow('killed');
  await reactor.catchUp();
  expect(await erased()).toEqual([true, true, false]);
});
