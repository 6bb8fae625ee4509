import { nothingSpent, plus, type Amount, type Budget } from './budget.ts';
import { periodOf } from './days.ts';
import type { CostPurpose, Exhausted, Incurred, LedgerEvent, Reserved } from './events.ts';

/** What one model has cost in a month. */
export interface ModelCosts {
  readonly purpose: CostPurpose;
  readonly model: string;
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usd: number;
  readonly priced: boolean;
}

/** The costs of one tenant in one month. */
export interface Book {
  /** The latest day that anything was charged to; earlier days are closed. */
  lastDay: string;
  readonly spent: Map<string, Amount>;
  readonly open: Map<string, Reserved>;
  /** Ids of all reservations that have ended. */
  readonly ended: Set<string>;
  readonly models: Map<string, ModelCosts>;
  exhausted: Exhausted | undefined;
  /** By space and day. */
  readonly spentBySpace: Map<string, Map<string, Amount>>;
  /** The last event that a budget of a space is used up, by `exhaustedKey`. */
  readonly exhaustedSpaces: Map<string, Exhausted>;
}

/** A book without entries. `day` is the first of the month. */
export const emptyBook = (day: string): Book => ({
  lastDay: day,
  spent: new Map(),
  open: new Map(),
  ended: new Set(),
  models: new Map(),
  exhausted: undefined,
  spentBySpace: new Map(),
  exhaustedSpaces: new Map(),
});

/** Changes the book in place, because a month may have very many events. Idempotent. */
export function apply(book: Book, event: LedgerEvent): void {
  switch (event.type) {
    case 'CostReserved': {
      const { data } = event;
      if (book.ended.has(data.id)) return;
      book.open.set(data.id, data);
      if (data.day > book.lastDay) book.lastDay = data.day;
      return;
    }
    case 'CostIncurred': {
      const { data } = event;
      if (book.ended.has(data.id)) return;
      book.open.delete(data.id);
      book.ended.add(data.id);
      if (data.day > book.lastDay) book.lastDay = data.day;
      book.spent.set(data.day, plus(book.spent.get(data.day) ?? nothingSpent, amountOf(data)));
      for (const space of data.spaces ?? []) {
        const days = book.spentBySpace.get(space) ?? new Map<string, Amount>();
        days.set(data.day, plus(days.get(data.day) ?? nothingSpent, amountOf(data)));
        book.spentBySpace.set(space, days);
      }
      countModel(book.models, data);
      return;
    }
    case 'BudgetExhausted':
      if (event.data.space === undefined) book.exhausted = event.data;
      else book.exhaustedSpaces.set(exhaustedKey(event.data.space, event.data.period), event.data);
      return;
    default:
      event satisfies never;
  }
}

/** Names the budget of a space for a day or for a month. */
export const exhaustedKey = (space: string, period: string): string =>
  `${period.length > 'yyyy-mm'.length ? 'day' : 'month'} ${space}`;

export const amountOf = ({ inputTokens, outputTokens, usd }: Reserved | Incurred): Amount => ({
  tokens: inputTokens + outputTokens,
  usd,
});

export interface Balance {
  readonly spent: Amount;
  readonly reserved: Amount;
}

/**
 * What was spent and is reserved in the budget's period that `day` belongs to, in the whole tenant or for one space. An expired
 * reservation counts as spent, because its process ended and may have made the call.
 */
export function balanceOf(
  book: Book,
  budget: Pick<Budget, 'period'>,
  day: string,
  now: Date,
  space?: string,
): Balance {
  const period = periodOf(day, budget);
  let spent = nothingSpent;
  let reserved = nothingSpent;
  const days = space === undefined ? book.spent : (book.spentBySpace.get(space) ?? []);
  for (const [of, amount] of days) if (periodOf(of, budget) === period) spent = plus(spent, amount);
  for (const reservation of book.open.values()) {
    if (periodOf(reservation.day, budget) !== period) continue;
    if (space !== undefined && !reservation.spaces?.includes(space)) continue;
    if (isExpired(reservation, now)) spent = plus(spent, amountOf(reservation));
    else reserved = plus(reserved, amountOf(reservation));
  }
  return { spent, reserved };
}

/** Whether the reservation's process must have ended without recording the cost. */
export const isExpired = ({ expiresAt }: Reserved, now: Date): boolean =>
  Date.parse(expiresAt) <= now.getTime();

function countModel(models: Map<string, ModelCosts>, incurred: Incurred): void {
  const { purpose, model, priced } = incurred;
  const key = `${purpose} ${model}`;
  const before = models.get(key) ?? { requests: 0, inputTokens: 0, outputTokens: 0, usd: 0 };
  models.set(key, {
    purpose,
    model,
    requests: before.requests + incurred.requests,
    inputTokens: before.inputTokens + incurred.inputTokens,
    outputTokens: before.outputTokens + incurred.outputTokens,
    usd: plus({ tokens: 0, usd: before.usd }, { tokens: 0, usd: incurred.usd }).usd,
    priced,
  });
}
