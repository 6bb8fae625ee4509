import { describe, expect, it } from 'vitest';
import { apply, emptyBook, type Book } from '../../src/domain/ledger/book.ts';
import { unlimited } from '../../src/domain/ledger/budget.ts';
import { decideReserve, type WantedReservation } from '../../src/domain/ledger/decide.ts';
import { budgetsOf, spendingOf, type SpaceBudgets } from '../../src/domain/ledger/space-budgets.ts';

const now = new Date('2026-11-27T12:00:00Z');
const tomorrow = new Date('2026-11-28T12:00:00Z');
const daily = (usd: number) => budgetsOf({ dailyBudgetUsd: usd, monthlyBudgetUsd: undefined });

const call = (id: string, usd: number, spaces?: string[]): WantedReservation => ({
  id,
  purpose: 'embedding',
  model: 'm',
  inputTokens: 10,
  outputTokens: 0,
  usd,
  priced: true,
  ...(spaces && { spaces }),
});

/** Reserves the calls and charges what was reserved. */
function spend(book: Book, budgets: SpaceBudgets, calls: readonly WantedReservation[], at = now) {
  const { outcomes, events } = decideReserve(book, unlimited, at, 60_000, calls, budgets);
  for (const event of events) {
    apply(book, event);
    if (event.type !== 'CostReserved') continue;
    const { expiresAt: _, ...reserved } = event.data;
    apply(book, { type: 'CostIncurred', data: { ...reserved, outcome: 'settled', requests: 1 } });
  }
  return { outcomes, exhausted: events.filter(({ type }) => type === 'BudgetExhausted') };
}

describe('[H5] the budget of a space', () => {
  it('is checked before spending, for calls of one decision together', () => {
    const book = emptyBook('2026-11-01');
    const budgets = new Map([['notes', daily(1)]]);
    const { outcomes, exhausted } = spend(book, budgets, [
      call('a', 0.6, ['notes']),
      call('b', 0.6, ['notes']),
      call('c', 0.4, ['notes']),
      call('d', 5, ['other']),
      call('e', 5),
    ]);
    expect(outcomes).toEqual(['reserved', 'exhausted', 'reserved', 'reserved', 'reserved']);
    expect(exhausted).toMatchObject([
      { data: { space: 'notes', period: '2026-11-27', limit: { usd: 1 }, needed: { usd: 0.6 } } },
    ]);
  });

  it('counts a call in each of its spaces, and refuses it if one has no room', () => {
    const book = emptyBook('2026-11-01');
    const budgets = new Map([
      ['large', daily(10)],
      ['small', daily(1)],
    ]);
    expect(spend(book, budgets, [call('a', 0.8, ['large', 'small'])]).outcomes).toEqual(['reserved']);
    expect(spend(book, budgets, [call('b', 0.8, ['large', 'small'])]).outcomes).toEqual(['exhausted']);
    expect(spend(book, budgets, [call('c', 0.8, ['large'])]).outcomes).toEqual(['reserved']);
    expect(spendingOf(book, 'large', daily(10), '2026-11-27', now)).toEqual({
      spentTodayUsd: 1.6,
      spentThisMonthUsd: 1.6,
    });
    expect(spendingOf(book, 'small', daily(1), '2026-11-27', now)).toEqual({
      spentTodayUsd: 0.8,
      spentThisMonthUsd: 0.8,
      exhaustedUntil: '2026-11-28T00:00:00.000Z',
    });
  });

  it('has room again on the next day, within that of the month', () => {
    const book = emptyBook('2026-11-01');
    const budgets = new Map([['notes', budgetsOf({ dailyBudgetUsd: 1, monthlyBudgetUsd: 1.5 })]]);
    const outcomesAt = (at: Date, id: string, usd: number) =>
      spend(book, budgets, [call(id, usd, ['notes'])], at).outcomes;
    expect(outcomesAt(now, 'a', 1)).toEqual(['reserved']);
    expect(outcomesAt(now, 'b', 0.1)).toEqual(['exhausted']);
    expect(outcomesAt(tomorrow, 'c', 0.6)).toEqual(['exhausted']);
    expect(outcomesAt(tomorrow, 'd', 0.5)).toEqual(['reserved']);
    expect(spendingOf(book, 'notes', budgets.get('notes')!, '2026-11-28', tomorrow)).toEqual({
      spentTodayUsd: 0.5,
      spentThisMonthUsd: 1.5,
      exhaustedUntil: '2026-12-01T00:00:00.000Z',
    });
  });

  it('records once for each period and limit that it is used up', () => {
    const book = emptyBook('2026-11-01');
    const refused = (id: string, limit: number, at = now) =>
      spend(book, new Map([['notes', daily(limit)]]), [call(id, 2, ['notes'])], at).exhausted.length;
    expect([refused('a', 1), refused('b', 1), refused('c', 1.5), refused('d', 1.5, tomorrow)]).toEqual([
      1, 0, 1, 1,
    ]);
  });
});
