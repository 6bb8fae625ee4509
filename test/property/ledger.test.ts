import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apply, balanceOf, emptyBook, type Book } from '../../src/domain/ledger/book.ts';
import { fits, plus, type Budget } from '../../src/domain/ledger/budget.ts';
import { endOfPeriod } from '../../src/domain/ledger/days.ts';
import { chargedDay, decideReserve, decideSettle, isExhausted } from '../../src/domain/ledger/decide.ts';
import type { LedgerEvent } from '../../src/domain/ledger/events.ts';
import { costOf } from '../../src/domain/ledger/prices.ts';

const lifeMs = 600_000;
const start = Date.parse('2026-11-01T00:00:00Z');

const wanted = (id: string, tokens: number, usd = tokens / 1e6) => ({
  id,
  purpose: 'summary' as const,
  model: 'm',
  inputTokens: tokens,
  outputTokens: 0,
  usd,
  priced: true,
});

const cost = (id: string, tokens: number) => ({
  ...wanted(id, tokens),
  outcome: 'settled' as const,
  requests: 1,
});

const write = (book: Book, events: readonly LedgerEvent[]): void =>
  events.forEach((event) => apply(book, event));

function reserve(book: Book, budget: Budget, now: Date, id: string, tokens: number) {
  const { events, outcomes } = decideReserve(book, budget, now, lifeMs, [wanted(id, tokens)]);
  write(book, events);
  return outcomes[0]!;
}

const budgets: fc.Arbitrary<Budget> = fc.record(
  {
    period: fc.constantFrom('day' as const, 'month' as const),
    tokens: fc.integer({ min: 0, max: 5_000 }),
    usd: fc.double({ min: 0, max: 0.005, noNaN: true }),
  },
  { requiredKeys: ['period'] },
);

/** Reservations, settlements of up to what was reserved, crashes (a reservation that is never settled) and any movement of the clock. */
const acts = fc.array(
  fc.record({
    kind: fc.constantFrom('reserve', 'settle', 'repeat'),
    tokens: fc.integer({ min: 0, max: 2_000 }),
    which: fc.nat(40),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    minutes: fc.integer({ min: -3_000, max: 3_000 }),
  }),
  { maxLength: 60 },
);

describe('the ledger', () => {
  it('[E7] never spends or reserves more than the budget of a period, in any order and with any clock', () => {
    fc.assert(
      fc.property(budgets, acts, (budget, all) => {
        const book = emptyBook('2026-11-01');
        const reserved: { id: string; tokens: number }[] = [];
        let now = new Date(start);
        for (const { kind, tokens, which, share, minutes } of all) {
          const moved = now.getTime() + minutes * 60_000;
          now = new Date(Math.min(Math.max(moved, start - 86_400_000), start + 29 * 86_400_000));
          const known = reserved[which % Math.max(1, reserved.length)];
          if (kind === 'reserve') {
            const id = `call ${reserved.length}`;
            if (reserve(book, budget, now, id, tokens) === 'reserved') reserved.push({ id, tokens });
          } else if (known && kind === 'settle') {
            write(book, decideSettle(book, [cost(known.id, Math.floor(known.tokens * share))], now));
          } else if (known) {
            expect(reserve(book, budget, now, known.id, tokens)).toBe('repeated');
          }
          for (let date = 1; date <= 30; date++) {
            const day = `2026-11-${String(date).padStart(2, '0')}`;
            const { spent, reserved: open } = balanceOf(book, budget, day, now);
            expect(fits(budget, plus(spent, open))).toBe(true);
          }
        }
      }),
    );
  });

  it('[E7] is the same after events that were applied before are applied again', () => {
    const book = emptyBook('2026-11-01');
    const now = new Date(start);
    const events = [
      ...decideReserve(book, { period: 'month' }, now, lifeMs, [wanted('a', 10), wanted('b', 20)]).events,
      { type: 'CostIncurred' as const, data: { ...cost('a', 7), day: '2026-11-01' } },
    ];
    write(book, events);
    const once = structuredClone(book);
    write(book, events);
    expect(book).toEqual(once);
  });

  it('[E7] charges what a process that died had reserved once, as reserved, and holds it no longer', () => {
    const book = emptyBook('2026-11-01');
    const budget: Budget = { period: 'month', tokens: 100 };
    expect(reserve(book, budget, new Date(start), 'died', 60)).toBe('reserved');
    const later = new Date(start + lifeMs);
    expect(balanceOf(book, budget, '2026-11-01', later)).toEqual({
      spent: { tokens: 60, usd: 0.000_06 },
      reserved: { tokens: 0, usd: 0 },
    });
    expect(reserve(book, budget, later, 'next', 40)).toBe('reserved');
    // The process was only slow: its call is charged already.
    expect(decideSettle(book, [cost('died', 5)], later)).toEqual([]);
    expect(reserve(book, budget, later, 'died', 60)).toBe('repeated');
    expect(balanceOf(book, budget, '2026-11-01', later).spent.tokens).toBe(60);
    expect(book.models.get('summary m')).toMatchObject({ requests: 0, inputTokens: 60 });
  });

  it('[E7] a clock that is set back does not reopen a day', () => {
    const book = emptyBook('2026-11-01');
    const budget: Budget = { period: 'day', tokens: 100 };
    expect(reserve(book, budget, new Date('2026-11-03T00:00:10Z'), 'a', 100)).toBe('reserved');
    const before = new Date('2026-11-02T23:59:50Z');
    expect(chargedDay(book, before)).toBe('2026-11-03');
    expect(reserve(book, budget, before, 'b', 1)).toBe('exhausted');
    expect(reserve(book, budget, new Date('2026-11-04T00:00:00Z'), 'c', 100)).toBe('reserved');
  });

  it('[E7] records that a period is exhausted once for each period and limit', () => {
    const book = emptyBook('2026-11-01');
    const at = (day: number) => new Date(start + (day - 1) * 86_400_000);
    let calls = 0;
    const exhausted = (budget: Budget, day: number) => {
      const { events } = decideReserve(book, budget, at(day), lifeMs, [wanted(`call ${++calls}`, 60)]);
      write(book, events);
      return events.filter(({ type }) => type === 'BudgetExhausted').length;
    };
    const small: Budget = { period: 'day', tokens: 50 };
    expect([exhausted(small, 1), exhausted(small, 1), exhausted(small, 2)]).toEqual([1, 0, 1]);
    expect([exhausted({ ...small, tokens: 55 }, 2), exhausted({ ...small, tokens: 55 }, 2)]).toEqual([1, 0]);
    expect(book.exhausted).toMatchObject({ resetsAt: '2026-11-03T00:00:00.000Z', needed: { tokens: 60 } });
    expect(isExhausted(book, { ...small, tokens: 55 }, at(2), { tokens: 1, usd: 0 })).toBe(true);
    expect(isExhausted(book, { ...small, tokens: 60 }, at(2), { tokens: 1, usd: 0 })).toBe(false);
    expect(isExhausted(book, small, at(3), { tokens: 1, usd: 0 })).toBe(false);
    expect(isExhausted(book, small, at(3), { tokens: 51, usd: 0 })).toBe(true);
  });

  it('[E7] periods end at midnight of UTC', () => {
    expect(endOfPeriod('2026-12-31', { period: 'month' })).toBe('2027-01-01T00:00:00.000Z');
    expect(endOfPeriod('2024-02-28', { period: 'day' })).toBe('2024-02-29T00:00:00.000Z');
  });
});

describe('prices', () => {
  const prices = { 'gpt-4o': { input: 2.5, output: 10 }, 'gpt-4o-mini': { input: 0.15, output: 0.6 } };
  const tokens = { inputTokens: 1_000, outputTokens: 100 };

  it('[E7] are of the model or the model without its date; an unknown model costs nothing and says so', () => {
    expect(costOf(prices, 'gpt-4o', tokens)).toEqual({ usd: 0.003_5, priced: true });
    expect(costOf(prices, 'gpt-4o-mini-2024-07-18', tokens)).toEqual({ usd: 0.000_21, priced: true });
    expect(costOf(prices, 'gpt-4o-audio', tokens)).toEqual({ usd: 0, priced: false });
    expect(costOf(prices, 'toString', tokens)).toEqual({ usd: 0, priced: false });
    expect(costOf({ e: { input: 0.02, output: 0 } }, 'e', { inputTokens: 1, outputTokens: 0 }).usd).toBe(
      2e-8,
    );
  });
});
