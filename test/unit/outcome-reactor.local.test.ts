import { afterAll, beforeAll, expect, it } from 'vitest';
import { v7 as uuid } from 'uuid';
import { newId } from '../../src/adapters/random.ts';
import { commandServices, callerKey, eventContext, type CommandContext } from '../../src/commands/context.ts';
import { endSession } from '../../src/commands/outcomes/end-session.ts';
import { observeSignal } from '../../src/commands/outcomes/observe-signal.ts';
import { postOutcome } from '../../src/commands/outcomes/observe-outcome.ts';
import { sessionKeyOf } from '../../src/domain/learning/session-key.ts';
import { newFeedback } from '../../src/domain/learning/outcome.ts';
import type { OutcomeEvent } from '../../src/domain/learning/events.ts';
import { signSearchId } from '../../src/domain/retrieval/search-id.ts';
import type { PolicyUpdate } from '../../src/domain/learning/policy-events.ts';
import type { UseEvent } from '../../src/domain/learning/value-events.ts';
import type { FeedbackEvent, RetrievalEvent } from '../../src/domain/retrieval/events.ts';
import {
  feedbackStream,
  outcomeStream,
  retrievalStream,
  routePolicyStream,
  useStream,
} from '../../src/domain/streams.ts';
import type { EventStore } from '../../src/ports/event-store.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { ReactorProcessor } from '../../src/follow/reactor-processor.ts';
import { decisionsProjection } from '../../src/projections/decisions/decisions.ts';
import { LoggedDecisions } from '../../src/queries/policies/logged-decisions.ts';
import { OpenSearches } from '../../src/queries/policies/open-searches.ts';
import { sessionEnds } from '../../src/read-models/decisions.ts';
import { OutcomeCloser } from '../../src/reactors/outcome-closer.ts';
import { outcomeReactor } from '../../src/reactors/outcome-reactor.ts';
import { WakeUp } from '../../src/support/wake-up.ts';
import { beginReadModel, type LiveReadModel } from '../support/live-read-model.ts';
import { expectSameInAnyDivision } from '../support/read-models.ts';
import { openTestStore, type TestStore } from '../support/event-store.ts';
import { performedSearch } from '../support/performed-search.ts';
import { adminOf } from '../support/admin.ts';

const windowMs = 60_000;
const memoryId = '0197c1a2-0000-7000-8000-000000000001';
let test: TestStore;
let model: LiveReadModel;
let open: OpenSearches;
let decisions: LoggedDecisions;
/** The clock of the processes under test. */
let now = Date.now();

beforeAll(async () => {
  test = await openTestStore();
  model = await beginReadModel(test, decisionsProjection(test));
  open = new OpenSearches(model.models, windowMs);
  decisions = new LoggedDecisions(model.models, { windowMs, now: () => now });
});
afterAll(() => test.close());

const services = () => commandServices({ store: test.store, vault: test.vault, clock: systemClock, newId });

function contextOf(tenant: string): CommandContext {
  return { caller: adminOf(tenant), cause: 'user', correlationId: 'r' };
}

const system: CommandContext = { ...contextOf('system'), cause: 'system' };

const noWait = { waitMs: 0 };

/** Follows the log to its end. */
async function follow(): Promise<void> {
  const reads = {
    reached: () => model.follow(),
    rowsOf: (keys: Parameters<OpenSearches['rowsOf']>[0]) => open.rowsOf(keys, noWait),
    early: (keys: Parameters<OpenSearches['early']>[0]) => open.early(keys, noWait),
    before: (search: Parameters<OpenSearches['before']>[0], limit: number) =>
      open.before(search, limit, noWait),
  };
  const onParked = (error: unknown) => {
    throw error;
  };
  const reactor = outcomeReactor({ services: services(), reads }, system);
  await new ReactorProcessor(reactor, { sql: test.sql, store: test.store, onParked }).catchUp();
  await model.follow();
}

/** Closes what is due, until nothing is. The searches of tenants in `failing` cannot be closed; returns how often that happened. */
async function close(failing: readonly string[] = []): Promise<number> {
  const stop = new AbortController();
  const failures: unknown[] = [];
  const append: EventStore['append'] = async (stream, ...others) => {
    if (failing.some((tenant) => stream.startsWith(`outcome-${tenant}.`)))
      throw new Error('cannot be closed');
    return test.store.append(stream, ...others);
  };
  const { log } = test;
  const store = { log, load: test.store.load.bind(test.store), append } as unknown as EventStore;
  const closer = new OutcomeCloser(
    {
      services: { ...services(), store },
      reads: {
        async due(at, limit, except) {
          await model.follow();
          return open.due(at, limit, except, noWait);
        },
        lastIn: (searches) => open.lastIn(searches, noWait),
        async nextDue(except) {
          stop.abort();
          return open.nextDue(except);
        },
      },
      reactedTo: () => test.log.head(),
      changed: new WakeUp(),
      now: () => now,
      onFailure: (error) => failures.push(error),
    },
    system,
  );
  await closer.run({
    epoch: 1,
    signal: stop.signal,
    began: () => undefined,
    reached: () => undefined,
    isHeld: true,
    report: () => undefined,
    fail: () => undefined,
  });
  if (failing.length === 0) expect(failures).toEqual([]);
  return failures.length;
}

interface Asked {
  readonly id: string;
  readonly searchId: string;
  /** Appends the record of the search, which a process writes after the answer. */
  readonly record: () => Promise<unknown>;
}

function ask(
  tenant: string,
  { sessionId, query = 'build time', arms = 2, evaluation = false, askedAt = now } = {} as {
    sessionId?: string;
    query?: string;
    arms?: 1 | 2;
    evaluation?: boolean;
    askedAt?: number;
  },
): Asked {
  const { vault, store } = test;
  const { caller } = contextOf(tenant);
  const id = uuid({ msecs: askedAt });
  const searchId = signSearchId(vault, caller, id);
  const routes = ['standard', 'decomposition'] as const;
  const { type, data } = performedSearch(searchId, [memoryId], query);
  const performed: RetrievalEvent = {
    type,
    data: {
      ...data,
      decision: {
        reason: 'explored',
        score: 0.5,
        threshold: 0.3,
        signals: [],
        choice: {
          features: { score: 0.5, threshold: 0.3 },
          arms: routes.slice(0, arms),
          propensities: arms === 2 ? [0.2, 0.8] : [1],
          incumbent: 'decomposition',
          taken: 'standard',
          policyVersion: 'rules-1',
          evaluation,
        },
      },
      tokens: 3,
      ...(sessionId !== undefined && { sessionId, session: sessionKeyOf(vault, caller, sessionId) }),
    },
  };
  const stream = retrievalStream(tenant, id);
  const context = eventContext(contextOf(tenant), callerKey(vault, caller));
  return { id, searchId, record: () => store.append(stream, 'noStream', [performed], context) };
}

const usesOf = async (tenant: string, { id }: Asked) =>
  (await test.store.load<UseEvent>(useStream(tenant, id))).map(({ event }) => event.data.results);

const outcomesOf = async (tenant: string, { id }: Asked) =>
  (await test.store.load<OutcomeEvent>(outcomeStream(tenant, id))).map(({ event }) => event.data);

/** The caller of the search finds the memory helpful, or takes that back with a score below 0. */
async function judge(tenant: string, { searchId }: Asked, score: number): Promise<void> {
  const helpful: FeedbackEvent = {
    type: 'FeedbackGiven',
    data: { memoryId, kind: 'helpful', score, searchId, isAuthoritative: false },
  };
  const sealed = eventContext(contextOf(tenant), callerKey(test.vault, contextOf(tenant).caller));
  await test.store.append(feedbackStream(tenant, memoryId), 'any', [helpful], sealed);
}

/** The tenant's policy has learned from the search. */
async function consume(tenant: string, { id }: Asked): Promise<void> {
  const state = { weights: {}, steps: 1, decisions: 1, principals: {} };
  const step: PolicyUpdate = {
    type: 'PolicyUpdated',
    data: {
      version: 'v1',
      base: { version: 'base-0', weights: {} },
      state,
      consumed: [{ searchId: id, reward: 1 }],
      bootstrap: false,
    },
  };
  await test.store.append(routePolicyStream(tenant), 'any', [step], eventContext(contextOf(tenant)));
  await model.follow();
}

it('[C1] [C3] keeps finished decisions with their outcomes, apart those for evaluation, until they are consumed', async () => {
  const own = [ask('a'), ask('a', { evaluation: true }), ask('a', { arms: 1 }), ask('a')];
  for (const { record } of own) await record();
  for (const { searchId } of own.slice(0, 3))
    await postOutcome(services(), contextOf('a'), searchId, { used: [memoryId], quality: 0.8 });
  await follow();
  const expected = {
    searchId: own[0]!.id,
    principal: expect.stringMatching(/^[0-9a-f]{32}$/),
    arms: ['standard', 'decomposition'],
    propensities: [0.2, 0.8],
    taken: 'standard',
    incumbent: 'decomposition',
    policyVersion: 'rules-1',
    features: { score: 0.5, threshold: 0.3 },
    tokens: 3,
    outcome: { kind: 'used', quality: 0.8, explicit: true },
    evaluation: false,
    bootstrap: false,
    askedAt: expect.any(Date),
  };
  expect(await decisions.finished('a')).toEqual([expected]);
  const kept = (await decisions.since('a', 0)).filter(({ evaluation }) => evaluation);
  expect(kept.map(({ searchId }) => searchId)).toEqual([own[1]!.id]);
  expect(await decisions.finished('b')).toEqual([]);
  expect(await decisions.counts()).toEqual([{ tenant: 'a', finished: 2, waiting: 1, waitingForBase: 1 }]);

  await consume('a', own[0]!);
  await postOutcome(services(), contextOf('a'), own[0]!.searchId, { used: [] });
  await follow();
  expect(await decisions.finished('a')).toEqual([]);
  expect(await open.rowsOf([{ tenant: 'a', search: own[0]!.id }], noWait)).toMatchObject([
    { consumed: true, outcome: { kind: 'used', quality: 0.8 } },
  ]);

  now += windowMs + 1;
  await close();
  expect((await decisions.finished('a')).map(({ searchId, outcome }) => [searchId, outcome.kind])).toEqual([
    [own[3]!.id, 'ignored'],
  ]);
});

it('[C1] a search whose only feedback was withdrawn ends as if there had been none', async () => {
  now = Date.now();
  const judge = (tenant: string, { id, searchId }: Asked, score: number) =>
    observeSignal(services(), contextOf(tenant), { search: id, searchId }, (signals) =>
      newFeedback(signals, { memoryId, kind: 'helpful', score }),
    );
  const searches = [
    ask('w', { sessionId: 's', askedAt: now - 5_000 }),
    ask('w', { sessionId: 's', arms: 1, query: 'keys of deploys', askedAt: now - 5_000 }),
    ask('w', { arms: 1 }),
    ask('w', { sessionId: 's', query: 'vacation policy' }),
    ask('w', { sessionId: 's', arms: 1, query: 'billing', askedAt: now - 5_000 }),
  ];
  for (const search of searches) {
    await search.record();
    await judge('w', search, 1);
  }
  const { id, searchId } = searches[4]!;
  const item = { kind: 'memory', memoryId, tokens: 3 } as const;
  const counts = { tokenBudget: 9, tokenCount: 3, tokenizer: 'o200k_base', leftOut: [], durationMs: 1 };
  await test.store.append(
    retrievalStream('w', id),
    0,
    [{ type: 'ContextAssembled', data: { searchId, ...counts, items: [item] } }],
    eventContext(contextOf('w'), callerKey(test.vault, contextOf('w').caller)),
  );
  await follow();
  for (const search of searches) await judge('w', search, 0);
  await judge('w', searches[3]!, 0.7);
  await follow();
  await endSession(services(), contextOf('w'), 's');
  await follow();
  now = Date.now() + 1;
  await close();
  const last = await Promise.all(searches.map(async (search) => (await outcomesOf('w', search)).at(-1)));
  expect(last).toMatchObject([
    { source: 'session-end', kind: 'ignored' },
    { source: 'session-end', kind: 'ignored' },
    { source: 'feedback', kind: 'withdrawn' },
    { source: 'feedback', kind: 'used', quality: 0.7 },
    { source: 'context', kind: 'used', quality: 0.6 },
  ]);
  expect((await decisions.finished('w')).map(({ outcome }) => outcome.kind).sort()).toEqual([
    'ignored',
    'used',
  ]);
});

it('[C1] handles the same events again, as after a kill, without appending or changing anything', async () => {
  // Both were asked in the past: times of the future count as those of the records, which may be too close to each other.
  now = Date.now();
  const first = ask('k', { sessionId: 's', askedAt: now - 5_000 });
  const second = ask('k', {
    sessionId: 's',
    query: 'build time in minutes on two cores',
    askedAt: now - 1_000,
  });
  await first.record();
  await second.record();
  await endSession(services(), contextOf('k'), 's');
  await follow();
  now = Date.now() + 1_000;
  await close();
  await follow();
  const before = [await outcomesOf('k', first), await outcomesOf('k', second), await decisions.finished('k')];
  expect(before).toMatchObject([
    [{ source: 'refinement' }],
    [{ source: 'session-end' }],
    [{ outcome: { kind: 'refined' } }, { outcome: { kind: 'ignored' } }],
  ]);
  const head = await test.log.head();
  await test.sql.query(`update follow.checkpoints set position = 0 where name = 'outcomes'`);
  await follow();
  await close();
  expect(await test.log.head()).toBe(head);
  const after = [await outcomesOf('k', first), await outcomesOf('k', second), await decisions.finished('k')];
  expect(after).toEqual(before);
});

it('[C1] takes an outcome that comes before its search was recorded, and drops ids that were not in the answer', async () => {
  const [right, wrong, never] = [ask('e'), ask('e'), ask('e')];
  const post = ({ searchId }: Asked, used: string[]) =>
    postOutcome(services(), contextOf('e'), searchId, { used, quality: 0.5 });
  await post(right, [memoryId, 'm-unknown']);
  await post(wrong, ['m-unknown']);
  await post(never, [memoryId]);
  await follow();
  expect(await decisions.finished('e')).toEqual([]);
  await right.record();
  await wrong.record();
  await follow();
  expect((await decisions.finished('e')).map(({ searchId }) => searchId)).toEqual([right.id]);
  now = Math.max(now, Date.now()) + windowMs + 1_000;
  await close();
  const rows = await open.rowsOf(
    [right, wrong, never].map(({ id }) => ({ tenant: 'e', search: id })),
    noWait,
  );
  expect(rows.map(({ search, outcome }) => [search, outcome?.kind]).sort()).toEqual(
    [
      [right.id, 'used'],
      [wrong.id, 'ignored'],
    ].sort(),
  );
});

it('[C1] [F10] what was used is caused by the outcome, also if the outcome comes before its search was recorded', async () => {
  const [late, early] = [ask('c'), ask('c')];
  await late.record();
  for (const { searchId } of [late, early])
    await postOutcome(services(), contextOf('c'), searchId, { used: [memoryId] });
  await follow();
  await early.record();
  await follow();
  for (const { id } of [late, early]) {
    const [outcome] = await test.store.load<OutcomeEvent>(outcomeStream('c', id));
    const [use] = await test.store.load<UseEvent>(useStream('c', id));
    expect(use!.metadata.causationId).toBe(outcome!.id);
  }
});

it('[C1] [C3] nothing is learned from a search whose only feedback was withdrawn', async () => {
  now = Date.now();
  const own = ask('n');
  await own.record();
  await judge('n', own, 1);
  await follow();
  await follow();
  expect(await decisions.finished('n')).toMatchObject([{ outcome: { kind: 'used', explicit: true } }]);
  await judge('n', own, -1);
  await follow();
  await follow();
  expect(await open.rowsOf([{ tenant: 'n', search: own.id }], noWait)).toMatchObject([
    { outcome: undefined, final: false },
  ]);
  expect(await decisions.finished('n')).toEqual([]);
  expect((await decisions.forBase(10)).filter(({ tenant }) => tenant === 'n')).toEqual([]);
  expect((await decisions.counts()).filter(({ tenant }) => tenant === 'n')).toEqual([]);
});

it('[C1] [C5] feedback that was withdrawn leaves no use of the search behind, and says nothing about its results', async () => {
  const own = ask('v');
  await own.record();
  await judge('v', own, 1);
  await follow();
  await follow();
  expect(await usesOf('v', own)).toMatchObject([[{ memoryId, used: true }]]);
  await judge('v', own, -1);
  await follow();
  await follow();
  expect(await usesOf('v', own)).toMatchObject([[{ memoryId, used: true }], []]);
  await postOutcome(services(), contextOf('v'), own.searchId, { used: [] });
  await follow();
  expect(await usesOf('v', own)).toMatchObject([[{ used: true }], [], [{ memoryId, used: false }]]);
});

it('[C1] closes a search that was recorded after its session had ended, and not one that was asked later', async () => {
  now = Date.now();
  const before = ask('l', { sessionId: 's', arms: 1, askedAt: now - 5_000 });
  await endSession(services(), contextOf('l'), 's');
  await follow();
  await before.record();
  const later = ask('l', { sessionId: 's', arms: 1, askedAt: Date.now() + 50 });
  await new Promise((resolve) => setTimeout(resolve, 100));
  await later.record();
  await follow();
  now = Date.now();
  await close();
  expect(await outcomesOf('l', before)).toMatchObject([{ source: 'session-end', kind: 'ignored' }]);
  expect(await outcomesOf('l', later)).toEqual([]);
});

it('[C1] is not misled by a clock that jumps: a search from the future is closed a window after it was seen', async () => {
  now = Date.now();
  const future = ask('j', { sessionId: 's', askedAt: now + 86_400_000 });
  await future.record();
  await follow();
  await close();
  expect(await outcomesOf('j', future)).toEqual([]);
  now += windowMs + 1_000;
  await close();
  expect(await outcomesOf('j', future)).toMatchObject([{ source: 'window' }]);
});

it('[C1] [F6] compares no question whose content was erased', async () => {
  now = Date.now();
  const first = ask('x', { sessionId: 's', askedAt: now - 5_000 });
  const second = ask('x', { sessionId: 's', query: 'build time in minutes', askedAt: now - 1_000 });
  await first.record();
  await second.record();
  await test.vault.destroy('x', callerKey(test.vault, contextOf('x').caller).id);
  await follow();
  expect(await outcomesOf('x', first)).toEqual([]);
  const rows = await test.sql.query<{ row: string }>(
    `select d::text as row from ${model.table('decisions')} d`,
  );
  expect(rows.length).toBeGreaterThan(0);
  for (const { row } of rows) expect(row).not.toMatch(/build time|"s"|,s,/);
});

it('[C1] searches that cannot be closed keep no other waiting, and are tried again later', async () => {
  now = Date.now();
  const stuck = Array.from({ length: 50 }, () =>
    ask('stuck', { arms: 1, sessionId: 's', askedAt: now - 2_000 }),
  );
  const other = ask('f', { arms: 1, sessionId: 's', askedAt: now - 1_000 });
  for (const { record } of [...stuck, other]) await record();
  await follow();
  now += windowMs;
  expect(await close(['stuck'])).toBe(50);
  expect(await outcomesOf('f', other)).toMatchObject([{ source: 'window' }]);
  now += 60_000;
  await close();
  const keys = stuck.map(({ id }) => ({ tenant: 'stuck', search: id }));
  expect(await open.rowsOf(keys, noWait)).toEqual([]);
});

it('[C1] forgets the ends of sessions after a day and decisions after a year', async () => {
  const day = 86_400_000;
  const own = ask('g', { sessionId: 's', askedAt: Date.now() - 366 * day });
  await own.record();
  await postOutcome(services(), contextOf('g'), own.searchId, { used: [memoryId] });
  await endSession(services(), contextOf('g'), 's');
  await model.follow();
  // The search was asked a year before the last event of its tenant.
  expect(await decisions.finished('g')).toEqual([]);
  const ends = async () =>
    (await test.sql.query(`select 1 from ${model.table(sessionEnds.name)} where tenant = 'g'`)).length;
  expect(await ends()).toBe(1);
  await test.sql.query(
    `update ${model.table(sessionEnds.name)} set ended_at = ended_at - interval '2 days' where tenant = 'g'`,
  );
  await endSession(services(), contextOf('g'), 'other');
  await model.follow();
  expect(await ends()).toBe(1);
});

it('[C1] [G1] has the same rows however the log is divided into batches', async () => {
  await expectSameInAnyDivision(test, decisionsProjection(test));
});
