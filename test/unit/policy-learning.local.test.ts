import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { commandServices, eventContext, type CommandContext } from '../../src/commands/context.ts';
import { bootstrapPolicy } from '../../src/commands/policies/bootstrap-policy.ts';
import { PolicyLearning } from '../../src/commands/policies/policy-learning.ts';
import type { PolicyUpdate, RoutePolicyEvent } from '../../src/domain/learning/policy-events.ts';
import { evaluate } from '../../src/domain/learning/estimators.ts';
import { shipped } from '../../src/domain/learning/global-base.ts';
import { figuresOf } from '../../src/domain/learning/policy-decider.ts';
import { emptyHistory, evolve } from '../../src/domain/learning/policy-history.ts';
import { routePolicyStream } from '../../src/domain/streams.ts';
import { systemClock } from '../../src/ports/clock.ts';
import type { EventStore } from '../../src/ports/event-store.ts';
import { decisionsProjection } from '../../src/projections/decisions/decisions.ts';
import { upsert } from '../../src/projections/write.ts';
import { LoggedDecisions } from '../../src/queries/policies/logged-decisions.ts';
import { decisions as decisionTable, type DecisionRow } from '../../src/read-models/decisions.ts';
import { WakeUp } from '../../src/support/wake-up.ts';
import { PolicyTrainer } from '../../src/reactors/policy-trainer.ts';
import { adminOf } from '../support/admin.ts';
import { beginReadModel, type LiveReadModel } from '../support/live-read-model.ts';
import { startAfresh } from '../support/read-models.ts';
import { openTestStore, type TestStore } from '../support/event-store.ts';

let test: TestStore;
let model: LiveReadModel;
let table: string;
let decisions: LoggedDecisions;
let position = 0;

beforeAll(async () => {
  test = await openTestStore();
});
afterAll(() => test.close());
beforeEach(async () => {
  await startAfresh(test);
  model = await beginReadModel(test, decisionsProjection(test));
  table = model.table('decisions');
  decisions = new LoggedDecisions(model.models, { windowMs: 1_000, now: () => Date.now() });
});

const services = () => commandServices({ store: test.store, vault: test.vault, clock: systemClock, newId });
const system: CommandContext = { caller: adminOf('system'), cause: 'system', correlationId: 'policies' };

function learning(read = decisions, store: EventStore = test.store): PolicyLearning {
  return new PolicyLearning(
    {
      services: { store },
      decisions: read,
      historyOf: async (tenant) =>
        (await test.store.load<RoutePolicyEvent>(routePolicyStream(tenant))).reduce(evolve, emptyHistory),
    },
    system,
  );
}

/** Lets the decisions follow the log to its end. */
const follow = () => model.follow();

interface Decided {
  readonly isDecomposed?: boolean;
  readonly isUsed?: boolean;
  readonly evaluation?: boolean;
}

/** Finished decisions of a tenant, of a question that the default threshold calls complex. */
async function decided(tenant: string, count: number, of: (index: number) => Decided = () => ({})) {
  const rows = Array.from({ length: count }, (_, index): DecisionRow => {
    const { isDecomposed = index % 2 === 0, isUsed = isDecomposed, evaluation = false } = of(index);
    const search = newId();
    return {
      tenant,
      search,
      search_id: `${search}.signed`,
      position: ++position,
      asked_at: new Date(),
      answered_at: new Date(),
      principal: 'agent',
      session: undefined,
      choice: {
        features: { score: 0.5, threshold: 1, layers: 0.25, aggregation: 1, comparison: 0, structure: 0.6 },
        arms: ['standard', 'decomposition'],
        propensities: [0.5, 0.5],
        incumbent: 'standard',
        taken: isDecomposed ? 'decomposition' : 'standard',
        policyVersion: 'rules-1',
        evaluation,
      },
      tokens: 20,
      in_context: false,
      ended_at: undefined,
      cause: '',
      outcome: isUsed ? { kind: 'used', quality: 1, explicit: true } : { kind: 'ignored', explicit: true },
      final: true,
      consumed: false,
      base_consumed: false,
    };
  });
  await test.sql.transaction(upsert(model.table, decisionTable, rows));
  return rows.map(({ search }) => search);
}

async function consumedIn(tenant: string): Promise<string[]> {
  const events = await test.store.load<RoutePolicyEvent>(routePolicyStream(tenant));
  return events
    .flatMap(({ event }) => (event.type === 'PolicyUpdated' ? [(event as PolicyUpdate).data.consumed] : []))
    .flatMap((consumed) => consumed.map(({ searchId }) => searchId));
}

const waitingOf = async (tenant: string) => (await decisions.finished(tenant)).length;

it('[C3] two trainers at once consume each decision once, in steps of 20, and leave what is too little for one', async () => {
  const searches = await decided('acme', 110);
  const [one, other] = [learning(), learning()];
  const learned = await Promise.all([one.train('acme'), other.train('acme')]);
  expect(learned.sort((a, b) => a - b)).toEqual([0, 100]);
  await follow();
  expect(await Promise.all([one.train('acme'), other.train('acme')])).toEqual([0, 0]);
  expect(await consumedIn('acme')).toEqual(searches.slice(0, 100).sort());
  expect(await waitingOf('acme')).toBe(10);
});

it('[C3] a crash between the step and its marks, and a lost table of decisions, consume nothing twice', async () => {
  const searches = await decided('acme', 20);
  expect(await learning().train('acme')).toBe(20);
  // The process ends here: nothing is marked, and further decisions arrive.
  expect(await waitingOf('acme')).toBe(20);
  searches.push(...(await decided('acme', 20)));
  expect(await learning().train('acme')).toBe(0);
  await follow();
  expect(await learning().train('acme')).toBe(20);
  await follow();
  // The table is derived from the log. Until it has followed the log again, nothing can be learned.
  await test.sql.query('update follow.checkpoints set position = 0');
  await test.sql.query(`update ${table} set consumed = false`);
  expect(await learning().train('acme')).toBe(0);
  await follow();
  expect([await learning().train('acme'), await waitingOf('acme')]).toEqual([0, 0]);
  expect((await consumedIn('acme')).sort()).toEqual(searches.sort());
});

it('[C3] the state of the trainer is continued from where it was, to the bit', async () => {
  await decided('whole', 60, (index) => ({ isUsed: index % 3 === 0 }));
  await learning().train('whole');
  await decided('parts', 60, (index) => ({ isUsed: index % 3 === 0 }));
  // The same decisions for another tenant, learned from by three processes one after another.
  await test.sql.query(
    `update ${table} p set search = w.search, position = w.position from
       (select *, row_number() over (order by position) as n from ${table} where tenant = 'whole') w,
       (select search, row_number() over (order by position) as n from ${table} where tenant = 'parts') o
     where p.tenant = 'parts' and p.search = o.search and o.n = w.n`,
  );
  const all = await decisions.finished('parts');
  for (const last of [20, 40, 60]) {
    await test.sql.query(`update ${table} set final = position <= $1 where tenant = 'parts'`, [
      Number(
        (
          await test.sql.query<{ position: number }>(
            `select position from ${table} where tenant = 'parts' order by position offset $1 limit 1`,
            [last - 1],
          )
        )[0]!.position,
      ),
    ]);
    expect(await learning().train('parts')).toBe(20);
    await follow();
  }
  expect(all).toHaveLength(60);
  const [whole, parts] = await Promise.all(['whole', 'parts'].map((tenant) => learning().historyOf(tenant)));
  expect(parts!.trainer).toEqual(whole!.trainer);
});

it('[C4] the global base learns from several tenants in turn, each decision once, and never from fewer than four', async () => {
  const tenants = ['a', 'b', 'c', 'd'];
  const searches: string[] = [];
  for (const tenant of tenants.slice(0, 3)) searches.push(...(await decided(tenant, 15)));
  expect(await learning().trainBase()).toBe(0);
  searches.push(...(await decided('d', 15)));
  const learned = await Promise.all([learning().trainBase(), learning().trainBase()]);
  expect(learned.sort((a, b) => a - b)).toEqual([0, 60]);
  expect(await learning().trainBase()).toBe(0);
  await follow();
  expect(await learning().trainBase()).toBe(0);
  expect((await consumedIn('system')).sort()).toEqual(searches.sort());
  // Their own policies may still learn from the same decisions.
  expect(await waitingOf('a')).toBe(15);
  const { trainer } = await learning().historyOf('system');
  expect(Object.keys(trainer.principals)).toEqual(tenants);
});

it('[C6] a cold start after what was learned has been rejected changes nothing', async () => {
  await decided('acme', 20);
  await learning().train('acme');
  const { learned, revision } = await learning().historyOf('acme');
  const own = { ...system, caller: adminOf('acme') };
  const rejected: RoutePolicyEvent = {
    type: 'PolicyCompared',
    data: {
      version: learned!.version,
      incumbent: 'rules-1',
      verdict: 'reject',
      reason: 'worse than the incumbent',
      looks: 1,
      figures: figuresOf(evaluate([])),
    },
  };
  await test.store.append(routePolicyStream('acme'), revision, [rejected], eventContext(own));
  expect(await bootstrapPolicy(services(), own, learning(), 0.3)).toMatchObject({
    version: 'learned-1',
    learnedFrom: 0,
  });
});

it('[C7] a base that was rejected is not compared again, although nothing was learned since', async () => {
  // Decomposition, which the base chooses, is worse.
  const isWorse = (index: number) => ({ isUsed: index % 2 === 1, evaluation: true });
  await decided('acme', 100, isWorse);
  expect(await learning().judge('acme', 100)).toMatchObject({
    data: { version: 'base-0', verdict: 'reject' },
  });
  await decided('acme', 100, isWorse);
  expect(await learning().judge('acme', 200)).toBeUndefined();
});

/** The decisions of the table, at most the latest `most`, and how often they were read. */
function countedReads(most = Infinity) {
  const reads = { count: 0 };
  const latest = Object.assign(Object.create(decisions) as LoggedDecisions, {
    async since(...asked: Parameters<LoggedDecisions['since']>) {
      reads.count++;
      return (await decisions.since(...asked)).slice(-most);
    },
  });
  return { reads, latest };
}

it('[C7] decisions are read only when there may be enough for a look', async () => {
  const { reads, latest } = countedReads();
  const judging = learning(latest);
  // Every second one took the route that only the base chooses.
  await decided('acme', 80, () => ({ evaluation: true }));
  expect(await judging.judge('acme', 80)).toBeUndefined();
  expect(reads.count).toBe(1);
  await decided('acme', 9, () => ({ evaluation: true }));
  expect(await judging.judge('acme', 89)).toBeUndefined();
  expect(reads.count).toBe(1);
  await decided('acme', 20, () => ({ evaluation: true }));
  expect(await judging.judge('acme', 109)).toMatchObject({ type: 'PolicyPromoted' });
});

it('[C7] a version in force is watched for as long as decisions arrive, although only the latest are read', async () => {
  const policy = { version: 'base-0', base: shipped.weights, tenant: {}, decisions: 0 };
  const promoted: RoutePolicyEvent = {
    type: 'PolicyPromoted',
    data: { policy, share: 'all', by: 'operator', forced: true, looks: 0 },
  };
  const own = eventContext({ ...system, caller: adminOf('acme') });
  ({ position } = await test.store.append(routePolicyStream('acme'), 'noStream', [promoted], own));
  const watching = learning(countedReads(100).latest);
  await decided('acme', 100);
  expect(await watching.judge('acme', 100)).toBeUndefined();
  // What was better is worse now.
  await decided('acme', 49, (index) => ({ isUsed: index % 2 === 1 }));
  expect(await watching.judge('acme', 149)).toBeUndefined();
  await decided('acme', 51, (index) => ({ isUsed: index % 2 === 1 }));
  expect(await watching.judge('acme', 200)).toMatchObject({
    type: 'PolicyRolledBack',
    data: { version: 'base-0', to: 'rules-1', reason: 'worse' },
  });
});

it('[C3] [C4] many steps are appended in parts, because a log limits the size of an append', async () => {
  const sizes: number[] = [];
  const store = Object.assign(Object.create(test.store) as EventStore, {
    append(...appended: Parameters<EventStore['append']>) {
      sizes.push(appended[2].length);
      return test.store.append(...appended);
    },
  });
  for (const tenant of ['a', 'b', 'c', 'd']) await decided(tenant, tenant === 'a' ? 460 : 160);
  expect(await learning(decisions, store).train('a')).toBe(460);
  expect(await learning(decisions, store).trainBase()).toBe(640);
  expect(sizes).toEqual([20, 3, 20, 12]);
  expect(new Set(await consumedIn('a')).size).toBe(460);
  expect(new Set(await consumedIn('system')).size).toBe(640);
});

it('[C7] a candidate that is better is promoted after 50 matched deviations, first to a share, and rolled back when it turns out worse', async () => {
  const failures: unknown[] = [];
  const trainer = new PolicyTrainer({
    learning: learning(),
    decisions,
    changed: new WakeUp(),
    onFailure: (error) => failures.push(error),
  });
  const { signal } = new AbortController();
  const settled = async () => {
    await follow();
    while (!(await trainer.round(signal))) await follow();
    return learning().historyOf('acme');
  };
  /** What was decided so far is before this position, and what is decided from now on after it. */
  const goOnAfter = async (since: number) => {
    await test.sql.query(`update ${table} set position = 0`);
    position = since;
  };
  await decided('acme', 98, () => ({ evaluation: true }));
  expect(await settled()).toMatchObject({ canary: undefined, looks: 0 });
  await decided('acme', 4, () => ({ evaluation: true }));
  const proven = await settled();
  expect(proven).toMatchObject({ canary: { version: 'base-0' }, incumbent: { version: 'rules-1' } });
  expect(proven.versions[0]!.figures!.doublyRobust.value).toBeGreaterThan(0.5);
  await goOnAfter(proven.since);
  await decided('acme', 40);
  const promoted = await settled();
  expect(promoted).toMatchObject({ canary: undefined, incumbent: { version: 'base-0' } });
  await goOnAfter(promoted.since);
  // The world has changed: what was worse is better now.
  await decided('acme', 100, (index) => ({ isUsed: index % 2 === 1 }));
  expect(await settled()).toMatchObject({ canary: undefined, incumbent: { version: 'rules-1' } });
  expect(failures).toEqual([]);
  const types = (await test.store.load(routePolicyStream('acme'))).map(({ event }) => event.type);
  expect(types.filter((type) => type !== 'PolicyUpdated' && type !== 'PolicyCompared')).toEqual([
    'PolicyPromoted',
    'PolicyPromoted',
    'PolicyRolledBack',
  ]);
});
