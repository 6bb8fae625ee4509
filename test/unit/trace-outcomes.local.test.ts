import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../src/adapters/random.ts';
import { callerKey, eventContext, type CommandContext } from '../../src/commands/context.ts';
import { recordSearchTrace } from '../../src/commands/experience/record-search-trace.ts';
import { postOutcome } from '../../src/commands/outcomes/observe-outcome.ts';
import { recordUse } from '../../src/commands/outcomes/record-use.ts';
import { signalsOf } from '../../src/commands/outcomes/search-signals.ts';
import type { TraceEvent } from '../../src/domain/experience/events.ts';
import { signSearchId } from '../../src/domain/retrieval/search-id.ts';
import { outcomeStream, retrievalStream, traceStream, useStream } from '../../src/domain/streams.ts';
import type { StreamName } from '../../src/ports/event-log.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { traceOutcomes } from '../../src/worker/trace-outcomes.ts';
import { adminOf } from '../support/admin.ts';
import { openTestStore, type TestStore } from '../support/event-store.ts';
import { performedSearch } from '../support/performed-search.ts';

let test: TestStore;
beforeAll(async () => {
  test = await openTestStore();
});
afterAll(() => test.close());

/** A search with experience whose trace is in the log already, and which can be recorded itself. */
async function askedSearch() {
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
  const performed = performedSearch(searchId, memoryId, 'Which index?');
  const sealed = eventContext(context, callerKey(vault, context.caller));
  const manager = traceOutcomes(services, context);
  return {
    services,
    context,
    search,
    memoryId,
    post: (...used: string[]) => postOutcome(services, context, searchId, { used }),
    record: () => store.append(retrievalStream('acme', search), 'noStream', [performed], sealed),
    /** Lets the process manager handle the events of a stream, and shows what the trace was resolved to. */
    resolved: async (stream: StreamName) => {
      await manager.handle(await store.load(stream), { signal: new AbortController().signal });
      const loaded = await store.load<TraceEvent>(traceStream('acme', search));
      return loaded.slice(1).map(({ event }) => event.data);
    },
  };
}

it('[C9] an outcome that names nothing of the answer leaves the trace pending, as it leaves the search without one', async () => {
  const { search, memoryId, post, record, resolved } = await askedSearch();
  const outcomes = outcomeStream('acme', search);
  // Before the search itself is recorded, nobody can check the ids.
  await post(newId());
  expect(await resolved(outcomes)).toEqual([]);
  await record();
  expect(await resolved(outcomes)).toEqual([]);
  await post(memoryId);
  expect(await resolved(outcomes)).toMatchObject([{ outcome: 'success', helpfulIds: [memoryId] }]);
});

it('[C9] an outcome that came before its search resolves the trace as soon as it is checked', async () => {
  const { services, context, search, memoryId, post, record, resolved } = await askedSearch();
  await post(memoryId);
  expect(await resolved(outcomeStream('acme', search))).toEqual([]);
  await record();
  await recordUse(services, context, search, await signalsOf(services.store, 'acme', search));
  const [trace, ...others] = await resolved(useStream('acme', search));
  expect(others).toEqual([]);
  expect(trace).toMatchObject({ outcome: 'success', helpfulIds: [memoryId] });
});
