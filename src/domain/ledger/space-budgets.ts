import type { SpaceConfig } from '../spaces/space-config.ts';
import { amountOf, balanceOf, exhaustedKey, type Balance, type Book } from './book.ts';
import { fits, plus, type Budget } from './budget.ts';
import { endOfPeriod, periodOf } from './days.ts';
import type { LedgerEvent, Reserved } from './events.ts';

/** The limits of one space, by period; none if it has no budget. */
export type SpaceBudgets = ReadonlyMap<string, readonly Budget[]>;

/** The budgets in the configuration of a space: a day and a month may both have one. */
export function budgetsOf({
  dailyBudgetUsd,
  monthlyBudgetUsd,
}: Pick<SpaceConfig, 'dailyBudgetUsd' | 'monthlyBudgetUsd'>): Budget[] {
  return [
    ...(dailyBudgetUsd === undefined ? [] : [{ period: 'day' as const, usd: dailyBudgetUsd }]),
    ...(monthlyBudgetUsd === undefined ? [] : [{ period: 'month' as const, usd: monthlyBudgetUsd }]),
  ];
}

/** A budget that a call does not fit into. */
interface Refusal {
  readonly space: string;
  readonly budget: Budget;
  readonly balance: Balance;
}

/**
 * The budgets of spaces while a number of calls are decided, one after another: each call counts in all of its spaces, and those that
 * were admitted count for the next.
 */
export class SpaceAccounts {
  readonly #book: Book;
  readonly #budgets: SpaceBudgets;
  readonly #day: string;
  readonly #now: Date;
  /** Calls that were admitted and are not in the book yet. */
  readonly #admitted: Reserved[] = [];
  /** Budgets whose end is recorded by this decision. */
  readonly #exhausted = new Set<string>();

  constructor(book: Book, budgets: SpaceBudgets, day: string, now: Date) {
    this.#book = book;
    this.#budgets = budgets;
    this.#day = day;
    this.#now = now;
  }

  /** The first budget that has no room for the call; undefined if all have. */
  refusalOf(call: Reserved): Refusal | undefined {
    for (const space of call.spaces ?? []) {
      for (const budget of this.#budgets.get(space) ?? []) {
        const balance = balanceOf(this.#book, budget, this.#day, this.#now, space);
        let used = plus(plus(balance.spent, balance.reserved), amountOf(call));
        for (const other of this.#admitted)
          if (other.spaces?.includes(space)) used = plus(used, amountOf(other));
        if (!fits(budget, used)) return { space, budget, balance };
      }
    }
    return undefined;
  }

  admit(call: Reserved): void {
    if (call.spaces) this.#admitted.push(call);
  }

  /** The event that the budget of a space is used up; none if it is recorded already for this period and limit. */
  exhaustedBy(call: Reserved, { space, budget, balance }: Refusal): LedgerEvent[] {
    const period = periodOf(this.#day, budget);
    const key = exhaustedKey(space, period);
    const before = this.#book.exhaustedSpaces.get(key);
    const isRecorded = before?.period === period && before.limit.usd === budget.usd;
    if (isRecorded || this.#exhausted.has(key)) return [];
    this.#exhausted.add(key);
    return [
      {
        type: 'BudgetExhausted',
        data: {
          period,
          purpose: call.purpose,
          space,
          limit: { usd: budget.usd },
          spent: balance.spent,
          reserved: balance.reserved,
          needed: amountOf(call),
          resetsAt: endOfPeriod(this.#day, budget),
        },
      },
    ];
  }
}

/** What a space has spent today and this month, and until when one of its budgets is used up. */
export interface SpaceSpending {
  readonly spentTodayUsd: number;
  readonly spentThisMonthUsd: number;
  /** Absent while its budgets have room. */
  readonly exhaustedUntil?: string;
}

/** What a space has spent. A budget counts as used up if it has no room for the call that it refused last in the period. */
export function spendingOf(
  book: Book,
  space: string,
  budgets: readonly Budget[],
  day: string,
  now: Date,
): SpaceSpending {
  const spentIn = (period: Budget['period']) => balanceOf(book, { period }, day, now, space);
  const exhausted = budgets.filter((budget) => {
    const { spent, reserved } = spentIn(budget.period);
    const period = periodOf(day, budget);
    const refused = book.exhaustedSpaces.get(exhaustedKey(space, period));
    const needed =
      refused?.period === period && refused.limit.usd === budget.usd ? refused.needed : { tokens: 1, usd: 0 };
    return !fits(budget, plus(plus(spent, reserved), needed)) || spent.usd >= budget.usd!;
  });
  const until = exhausted.map((budget) => endOfPeriod(day, budget)).sort();
  return {
    spentTodayUsd: spentIn('day').spent.usd,
    spentThisMonthUsd: spentIn('month').spent.usd,
    ...(until.length > 0 && { exhaustedUntil: until.at(-1)! }),
  };
}
