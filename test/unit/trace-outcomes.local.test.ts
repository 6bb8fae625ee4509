import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../src/adapters/random.ts';
import { commandServices, callerKey, eventContext, type CommandContext } from '../../src/commands/context.ts';
import { recordSearchTrace } from '../../src/commands/experience/record-search-trace.ts';
import { observeSignal } from '../../src/commands/outcomes/observe-signal.ts';
import { postOutcome } from '../../src/commands/outcomes/observe-outcome.ts';
import { recordUse } from '../../src/commands/outcomes/record-use.ts';
import { signalsOf } from '../../src/commands/outcomes/search-signals.ts';
import type { TraceEvent } from '../../src/domain/experience/events.ts';
import { newFeedback } from '../../src/domain/learning/outcome.ts';
import type { UseEvent } from '../../src/domain/learning/value-events.ts';
import { signSearchId } from '../../src/domain/retrieval/search-id.ts';
import { outcomeStream, retrievalStream, traceStream, useStream } from '../../src/domain/streams.ts';
import type { StreamName } from '../../src/ports/event-log.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { traceOutcomes } from '../../src/reactors/trace-outcomes.ts';
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
  const services = commandServices({ store, vault, clock: systemClock, newId });
  const context: CommandContext = { caller: adminOf('acme'), cause: 'user', correlationId: 'r' };
  const [search, memoryId, other] = [newId(), newId(), newId()];
  const searchId = signSearchId(vault, context.caller, search);
  await recordSearchTrace(services, context, {
    traceId: search,
    searchId,
    memoryIds: [memoryId, other],
    query: 'Which index?',
    approach: 'search with experience: default',
    experience: { bucket: 'all', arm: 'default', applied: true, explored: false },
  });
  const performed = performedSearch(searchId, [memoryId, other], 'Which index?');
  const sealed = eventContext(context, callerKey(vault, context.caller));
  const reactor = traceOutcomes(services, context);
  return {
    services,
    context,
    search,
    memoryId,
    other,
    judge: (score: number) =>
      observeSignal(services, context, { search, searchId }, (signals) =>
        newFeedback(signals, { memoryId, kind: 'helpful', score }),
      ),
    /** What the values of memories count of the search. */
    used: async () => {
      await recordUse(services, context, search, await signalsOf(store, 'acme', search));
      return (await store.load<UseEvent>(useStream('acme', search))).map(({ event }) =>
        event.data.results.map(({ used }) => used),
      );
    },
    post: (...used: string[]) => postOutcome(services, context, searchId, { used }),
    record: () => store.append(retrievalStream('acme', search), 'noStream', [performed], sealed),
    /** Lets the reactor handle the events of a stream, and shows what the trace was resolved to. */
    resolved: async (stream: StreamName) => {
      await reactor.handle(await store.load(stream), { signal: new AbortController().signal });
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

it('[C9] a later outcome replaces what the trace says, also which memories helped', async () => {
  const { search, memoryId, other, post, record, resolved } = await askedSearch();
  const outcomes = outcomeStream('acme', search);
  await record();
  await post(memoryId);
  await resolved(outcomes);
  await post(other);
  expect((await resolved(outcomes)).at(-1)).toMatchObject({
    outcome: 'success',
    before: 'success',
    helpfulIds: [other],
  });
  await post();
  expect((await resolved(outcomes)).at(-1)).toMatchObject({ outcome: 'failure', helpfulIds: [] });
  expect(await resolved(outcomes)).toHaveLength(3);
});

it('[C5] [C9] feedback that was withdrawn says nothing any more of the attempt and of its memories', async () => {
  const { search, memoryId, judge, record, resolved, used } = await askedSearch();
  const outcomes = outcomeStream('acme', search);
  await record();
  await judge(1);
  expect(await resolved(outcomes)).toMatchObject([{ outcome: 'success', helpfulIds: [memoryId] }]);
  expect(await used()).toEqual([[true, false]]);
  await judge(0);
  expect((await resolved(outcomes)).at(-1)).toMatchObject({
    outcome: 'pending',
    before: 'success',
    helpfulIds: [],
  });
  expect((await used()).at(-1)).toEqual([]);
  await judge(1);
  expect((await resolved(outcomes)).at(-1)).toMatchObject({ outcome: 'success', before: 'pending' });
  expect((await used()).at(-1)).toEqual([true, false]);
  expect(await used()).toHaveLength(3);
});
