import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/adapters/random.ts';
import { commandServices, type CommandContext } from '../../src/commands/context.ts';
import { configureBudget } from '../../src/commands/ledger/configure-budget.ts';
import { Ledger } from '../../src/commands/ledger/ledger.ts';
import type { BudgetEvent, LedgerEvent } from '../../src/domain/ledger/events.ts';
import { budgetStream, ledgerStream } from '../../src/domain/streams.ts';
import { openTestStore, type TestStore } from '../support/event-store.ts';

let test: TestStore;
let now = new Date('2026-11-27T10:00:00Z');

beforeAll(async () => {
  test = await openTestStore();
});

afterAll(() => test.close());

const services = () =>
  commandServices({ store: test.store, vault: test.vault, clock: { now: () => now }, newId });
const contextOf = (tenant: string): CommandContext => ({
  caller: {
    tenant,
    principal: 'system',
    roles: [],
    orgs: [],
    teams: [],
    projects: [],
    sessions: [],
    agents: [],
  },
  cause: 'system',
  correlationId: 'ledger',
});
const newLedger = () => new Ledger(services(), { known: { input: 1, output: 2 } });
const call = (id: string, inputTokens = 100, model = 'known') => ({
  id,
  purpose: 'summary' as const,
  model,
  inputTokens,
  outputTokens: 0,
});
const eventsOf = async (tenant: string, month: string) =>
  (await test.store.load<LedgerEvent>(ledgerStream(tenant, month))).map(({ event }) => event);

describe('the ledger in the log', () => {
  it('[E7] 16 processes cannot overspend together', async () => {
    const context = contextOf('race');
    await configureBudget(services(), context, { period: 'day', tokens: 1_000 });
    const processes = Array.from({ length: 16 }, newLedger);
    const outcomes = await Promise.all(
      processes.map(async (ledger, n) => {
        const [reservation] = await ledger.reserve(context, [call(`call ${n}`)]);
        return reservation!.outcome;
      }),
    );
    expect(outcomes.toSorted()).toEqual([
      ...Array.from({ length: 6 }, () => 'exhausted'),
      ...Array.from({ length: 10 }, () => 'reserved'),
    ]);
    const events = await eventsOf('race', '2026-11');
    expect(events.filter(({ type }) => type === 'BudgetExhausted')).toHaveLength(1);
    await Promise.all(
      processes.map((ledger, n) =>
        outcomes[n] === 'reserved'
          ? ledger.settle(context, [{ ...call(`call ${n}`, 40), requests: 1 }])
          : undefined,
      ),
    );
    expect(await newLedger().state('race')).toMatchObject({
      spent: { tokens: 400, usd: 0.000_4 },
      reserved: { tokens: 0, usd: 0 },
      resetsAt: '2026-11-28T00:00:00.000Z',
    });
  });

  it('[E7] a process that is killed leaves its reservation, which is charged once', async () => {
    const context = contextOf('killed');
    await newLedger().reserve(context, [call('cause')]);
    const next = newLedger();
    expect(await next.reserve(context, [call('cause')])).toMatchObject([{ outcome: 'repeated' }]);
    expect(await next.state('killed')).toMatchObject({ spent: { tokens: 0 }, reserved: { tokens: 100 } });
    now = new Date(now.getTime() + 600_000);
    expect(await next.state('killed')).toMatchObject({ spent: { tokens: 100 }, reserved: { tokens: 0 } });
    expect(await next.reserve(context, [call('other')])).toMatchObject([{ outcome: 'reserved' }]);
    expect(
      (await eventsOf('killed', '2026-11')).map(({ type, data }) => [type, 'id' in data && data.id]),
    ).toEqual([
      ['CostReserved', 'cause'],
      ['CostIncurred', 'cause'],
      ['CostReserved', 'other'],
    ]);
  });

  it('[E7] a clock that is set back does not reopen the last month, and a call over midnight is charged where it was reserved', async () => {
    const context = contextOf('clock');
    const ledger = newLedger();
    await configureBudget(services(), context, { period: 'month', tokens: 150 });
    now = new Date('2026-11-30T23:59:59Z');
    const [before] = await ledger.reserve(context, [call('before')]);
    now = new Date('2026-12-01T00:00:01Z');
    expect(await ledger.reserve(context, [call('after')])).toMatchObject([
      { outcome: 'reserved', day: '2026-12-01' },
    ]);
    await ledger.settle(context, [{ ...call('before', 90), day: before!.day, requests: 1 }]);
    now = new Date('2026-10-15T00:00:00Z');
    for (const own of [ledger, newLedger()]) {
      expect(await own.reserve(context, [call(newId(), 60)])).toMatchObject([{ outcome: 'exhausted' }]);
      expect(await own.state('clock')).toMatchObject({ month: '2026-12', reserved: { tokens: 100 } });
    }
    expect(await eventsOf('clock', '2026-10')).toEqual([]);
    expect((await eventsOf('clock', '2026-11')).map(({ type }) => type)).toEqual([
      'CostReserved',
      'CostIncurred',
    ]);
    const head = await test.store.load<BudgetEvent>(budgetStream('clock'));
    expect(head.map(({ event: { type, data } }) => ('month' in data ? data.month : type))).toEqual([
      'BudgetConfigured',
      '2026-11',
      '2026-12',
    ]);
  });

  it('[E7] a model without a price costs no dollars, which its costs say', async () => {
    const context = contextOf('unpriced');
    const ledger = newLedger();
    await ledger.reserve(context, [call('a', 100, 'strange')]);
    await ledger.settle(context, [{ ...call('a', 100, 'strange'), requests: 2 }]);
    expect((await ledger.state('unpriced')).models).toEqual([
      {
        purpose: 'summary',
        model: 'strange',
        requests: 2,
        inputTokens: 100,
        outputTokens: 0,
        usd: 0,
        priced: false,
      },
    ]);
  });
});
