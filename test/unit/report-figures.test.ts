import { describe, expect, it } from 'vitest';
import { kindOf, knownTypes } from '../../src/cli/report/event-kinds.ts';
import { periodsOf, unitOf } from '../../src/cli/report/periods.ts';
import { RangeCounter } from '../../src/cli/report/range-counter.ts';
import { fileNameOf, rangeOf } from '../../src/cli/report/range.ts';
import { rewardsIn } from '../../src/cli/report/rewards.ts';
import { eventDefinitions } from '../../src/domain/events/registry.ts';
import { auditEvent, sampleRange } from '../support/sample-report.ts';

const now = new Date('2026-11-29T23:30:13.539Z');

describe('the range of a report', () => {
  it('[J9] is the last 30 days, until now, unless options say otherwise', () => {
    expect(fileNameOf(rangeOf({}, now))).toBe('stratalog-report-2026-10-30-2026-11-29T2330Z.html');
    const month = rangeOf({ from: '2026-10', to: '2026-11' }, now);
    expect(fileNameOf(month)).toBe('stratalog-report-2026-10-01-2026-11-01.html');
    expect(rangeOf({ to: '2026-11-15T02:00:00+02:00' }, now)).toEqual({
      from: new Date('2026-10-16T00:00:00.000Z'),
      to: new Date('2026-11-15T00:00:00.000Z'),
    });
  });

  it.each([
    [{ from: 'yesterday' }, /'--from <time>' value 'yesterday' is invalid\. It must be a date such as/],
    [{ to: '2026-13-01' }, /'--to <time>'/],
    [{ from: '2026-11-02', to: '2026-11-02' }, /--from .* must be before --to/],
    [{ from: '2027' }, /--from is in the future/],
    [{ to: '2028' }, /--to is too far in the future/],
  ])('[J9] refuses %j', (options, message) => {
    expect(() => rangeOf(options, now)).toThrow(message);
  });

  it('[J9] is divided into as many bars as fit on a page', () => {
    const bars = (from: string, to: string) => {
      const range = { from: new Date(from), to: new Date(to) };
      const periods = periodsOf(range, unitOf(range));
      return [periods[0], periods.at(-1), periods.length];
    };
    expect(bars('2026-11-29T09:30:00Z', '2026-11-30T00:00:00Z')).toEqual([
      '2026-11-29T09',
      '2026-11-29T23',
      15,
    ]);
    expect(bars('2026-02-01', '2026-03-01')).toEqual(['2026-02-01', '2026-02-28', 28]);
    expect(bars('2025-11-15', '2026-11-15')).toEqual(['2025-11', '2026-11', 13]);
    expect(bars('1970-01-01', '2026-11-15')).toEqual(['1970', '2026', 57]);
  });
});

function countedOf(...events: readonly ReturnType<typeof auditEvent>[]) {
  const counter = new RangeCounter(sampleRange);
  for (const event of events) counter.add(event);
  return counter.figures();
}

describe('the figures of a range', () => {
  it('[J9] count events by type, day, actor and value', () => {
    const figures = countedOf(
      auditEvent('MemoryStored', { trust: { state: 'quarantined' } }),
      auditEvent('MemoryStored', {}, { day: 3 }),
      auditEvent('SearchPerformed', { results: [] }, { day: 3, actor: 'agent:bot', onBehalfOf: 'user:bob' }),
      auditEvent('SearchPerformed', { results: [{}] }, { day: 3 }),
      auditEvent('MemoryDeleted', { memoryId: 'm1', because: 'expired' }, { day: 4 }),
      auditEvent('MemoryDeleted', { memoryId: 'm2' }, { day: 4 }),
    );
    expect(figures).toMatchObject({ events: 6, quarantined: 1, emptySearches: 1, unit: 'day' });
    expect([figures.first!.at, figures.last!.at]).toEqual([
      '2026-11-02T09:00:00.000Z',
      '2026-11-04T09:00:00.000Z',
    ]);
    expect(figures.types[0]).toEqual({ name: 'MemoryDeleted', count: 2 });
    expect(figures.periods).toHaveLength(30);
    expect(figures.periods.slice(0, 4).map(({ count }) => count)).toEqual([0, 1, 3, 2]);
    expect(figures.actors.map(({ actor, events }) => [actor, events])).toEqual([
      ['user:ada', 5],
      ['agent:bot for user:bob', 1],
    ]);
    expect(figures.actors[0]!.kinds).toMatchObject({ wrote: 2, searched: 1, deleted: 2 });
    expect(figures.values['MemoryDeleted']).toEqual([
      { name: 'by a caller', count: 1 },
      { name: 'expired', count: 1 },
    ]);
    expect(figures.lists.deletions.items.map(({ detail }) => detail)).toEqual([
      'memory m1, expired',
      'memory m2',
    ]);
  });

  it('[J9] add up costs by model and purpose', () => {
    const call = { purpose: 'summary', model: 'm', requests: 1, inputTokens: 10, outputTokens: 2, usd: 0.5 };
    const { spending } = countedOf(
      auditEvent('CostIncurred', { ...call, priced: true }),
      auditEvent('CostIncurred', { ...call, priced: false }),
      auditEvent('CostIncurred', { ...call, purpose: 'embedding', priced: true }),
      auditEvent('LanguageModelCalled', { ...call, usd: undefined, purpose: 'plan' }),
    );
    expect(spending).toEqual([
      { ...call, requests: 2, inputTokens: 20, outputTokens: 4, usd: 1, priced: false, charged: true },
      { ...call, purpose: 'embedding', priced: true, charged: true },
      { ...call, purpose: 'plan', usd: 0, priced: false, charged: false },
    ]);
  });

  it('[J9] keep the first of many events, and count actors beyond a bound together', () => {
    const counter = new RangeCounter(sampleRange);
    for (let index = 0; index < 10_100; index++)
      counter.add(auditEvent('ApiKeyRevoked', { keyId: `k${index}` }, { actor: `user:${index}` }));
    const { lists, actors, eventsOfOthers } = counter.figures();
    expect(lists.keys.count).toBe(10_100);
    expect(lists.keys.items).toHaveLength(50);
    expect([actors.length, eventsOfOthers]).toEqual([10_000, 100]);
  });

  it('[J9] know each type that they name, once', () => {
    expect(knownTypes.filter((type) => !eventDefinitions.has(type))).toEqual([]);
    expect(new Set(knownTypes).size).toBe(knownTypes.length);
    expect(kindOf('ClaimTaken')).toBe('internal');
  });

  it('[J9] weigh the rewards of a period by their decisions, and leave out days outside the range', () => {
    const observed = {
      decisions: 4,
      arms: [],
      days: [
        { day: '2026-10-31', decisions: 9, reward: -1 },
        { day: '2026-11-02', decisions: 3, reward: 1 },
        { day: '2026-11-02', decisions: 1, reward: 0 },
      ],
    };
    const versions = [{ version: 'v1', state: 'in-force' as const, bootstrap: false, observed }];
    const [from, to] = ['2026-11-01T00:00:00.000Z', '2026-11-03T00:00:00.000Z'];
    expect(rewardsIn(versions, { from, to }, { unit: 'hour' })).toEqual({
      decisions: 4,
      periods: [
        { name: '2026-11-01', reward: undefined },
        { name: '2026-11-02', reward: 0.75 },
      ],
    });
  });
});
