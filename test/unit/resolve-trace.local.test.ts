import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../src/adapters/random.ts';
import { callerKey, eventContext, type CommandContext } from '../../src/commands/context.ts';
import { resolveTrace } from '../../src/commands/experience/resolve-trace.ts';
import { recordSearchTrace } from '../../src/commands/experience/record-search-trace.ts';
import { postOutcome } from '../../src/commands/outcomes/observe-outcome.ts';
import type { TraceEvent } from '../../src/domain/experience/events.ts';
import type { RetrievalEvent } from '../../src/domain/retrieval/events.ts';
import { signSearchId } from '../../src/domain/retrieval/search-id.ts';
import { retrievalStream, traceStream } from '../../src/domain/streams.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { adminOf } from '../support/admin.ts';
import { openTestStore, type TestStore } from '../support/event-store.ts';

let test: TestStore;
beforeAll(async () => {
  test = await openTestStore();
});
afterAll(() => test.close());

it('[C9] an outcome that names nothing of the answer leaves the trace pending, as it leaves the search without one', async () => {
  const { store, vault } = test;
  const services = { store, vault, clock: systemClock, newId };
  const context: CommandContext = { caller: adminOf('acme'), cause: 'user', correlationId: 'r' };
  const [search, memoryId] = [newId(), newId()];
  const searchId = signSearchId(vault, context.caller, search);
  await recordSearchTrace(services, context, {
    traceId: search,
    searchId,
    memoryIds: [memoryId],
    query: 'Which index?',
    approach: 'search with experience: default',
    experience: { bucket: 'all', arm: 'default', applied: true, explored: false },
  });
  // Before the search itself is recorded, nobody can check the ids.
  await postOutcome(services, context, searchId, { used: [newId()] });
  const performed: Extract<RetrievalEvent, { type: 'SearchPerformed' }> = {
    type: 'SearchPerformed',
    data: {
      searchId,
      topK: 10,
      order: 'precedence',
      readPosition: 1,
      results: [{ memoryId, rank: 1, relevance: 0.9, score: 0.9 }],
      warnings: [],
      durationMs: 5,
      route: 'standard',
      query: 'Which index?',
    },
  };
  await resolveTrace(services, context, search);
  const sealed = eventContext(context, callerKey(vault, context.caller));
  await store.append(retrievalStream('acme', search), 'noStream', [performed], sealed);
  const resolved = async () => {
    await resolveTrace(services, context, search);
    const loaded = await store.load<TraceEvent>(traceStream('acme', search));
    return loaded.slice(1).map(({ event }) => event.data);
  };
  expect(await resolved()).toEqual([]);
  await postOutcome(services, context, searchId, { used: [memoryId] });
  expect(await resolved()).toMatchObject([{ outcome: 'success', helpfulIds: [memoryId] }]);
});
