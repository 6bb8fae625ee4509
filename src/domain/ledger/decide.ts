import { amountOf, balanceOf, isExpired, type Balance, type Book } from './book.ts';
import { fits, plus, type Amount, type Budget } from './budget.ts';
import { dayOf, endOfPeriod, periodOf } from './days.ts';
import { SpaceAccounts, type SpaceBudgets } from './space-budgets.ts';
import type { CostPurpose, Incurred, LedgerEvent, Reserved } from './events.ts';

/** A call that is about to be made, with the most that it can cost. */
export type WantedReservation = Omit<Reserved, 'day' | 'expiresAt'>;

/** `repeated`: a reservation with this id exists or existed, so the call may have been made already. */
export type ReservationOutcome = 'reserved' | 'exhausted' | 'repeated';

export interface ReserveDecision {
  readonly events: readonly LedgerEvent[];
  /** In the order of `wanted`. */
  readonly outcomes: readonly ReservationOutcome[];
}

/** The day that costs are charged to at this time. It never goes back, so a clock that is set back reopens no period. */
export function chargedDay(book: Pick<Book, 'lastDay'>, now: Date): string {
  const today = dayOf(now);
  return today > book.lastDay ? today : book.lastDay;
}

/**
 * Reserves each of `wanted`, in order, if what the budget and those of its spaces have left is enough. Expired reservations are charged
 * first.
 */
export function decideReserve(
  book: Book,
  budget: Budget,
  now: Date,
  lifeMs: number,
  wanted: readonly WantedReservation[],
  spaceBudgets: SpaceBudgets = new Map(),
): ReserveDecision {
  const day = chargedDay(book, now);
  const spaces = new SpaceAccounts(book, spaceBudgets, day, now);
  const events: LedgerEvent[] = [...book.open.values()]
    .filter((reservation) => isExpired(reservation, now))
    .map((reservation) => ({ type: 'CostIncurred', data: unrecorded(reservation) }));
  const balance = balanceOf(book, budget, day, now);
  const seen = new Set<string>();
  let used = plus(balance.spent, balance.reserved);
  let refused: WantedReservation | undefined;
  const outcomes = wanted.map((reservation): ReservationOutcome => {
    const { id } = reservation;
    if (seen.has(id) || book.open.has(id) || book.ended.has(id)) return 'repeated';
    seen.add(id);
    const data = { ...reservation, day, expiresAt: new Date(now.getTime() + lifeMs).toISOString() };
    const after = plus(used, amountOf(data));
    if (!fits(budget, after)) {
      refused ??= reservation;
      return 'exhausted';
    }
    const refusedBySpace = spaces.refusalOf(data);
    if (refusedBySpace) {
      events.push(...spaces.exhaustedBy(data, refusedBySpace));
      return 'exhausted';
    }
    used = after;
    spaces.admit(data);
    events.push({ type: 'CostReserved', data });
    return 'reserved';
  });
  if (refused) {
    const { purpose, inputTokens, outputTokens, usd } = refused;
    const needed = { tokens: inputTokens + outputTokens, usd };
    events.push(...decideExhausted(book, budget, day, balance, purpose, needed));
  }
  return { events, outcomes };
}

/** Ends reservations with their actual cost. Those that ended before, perhaps because they had expired, are skipped. */
export function decideSettle(
  book: Book,
  incurred: readonly Omit<Incurred, 'day'>[],
  now: Date,
): LedgerEvent[] {
  return incurred.flatMap((cost): LedgerEvent[] => {
    if (book.ended.has(cost.id)) return [];
    const day = book.open.get(cost.id)?.day ?? chargedDay(book, now);
    return [{ type: 'CostIncurred', data: { ...cost, day } }];
  });
}

/** The event that a period is exhausted; none if it is recorded already for this period and limit. */
export function decideExhausted(
  { exhausted }: Book,
  budget: Budget,
  day: string,
  { spent, reserved }: Balance,
  purpose: CostPurpose,
  needed: Amount,
): LedgerEvent[] {
  const period = periodOf(day, budget);
  const limit = limitOf(budget);
  const isRecorded =
    exhausted?.period === period &&
    exhausted.limit.tokens === limit.tokens &&
    exhausted.limit.usd === limit.usd;
  if (isRecorded) return [];
  const resetsAt = endOfPeriod(day, budget);
  return [{ type: 'BudgetExhausted', data: { period, purpose, limit, spent, reserved, needed, resetsAt } }];
}

/**
 * Whether the period has nothing left for another call: less than `least`, or less than a call needed that was refused in this period.
 */
export function isExhausted(book: Book, budget: Budget, now: Date, least: Amount): boolean {
  const day = chargedDay(book, now);
  const { spent, reserved } = balanceOf(book, budget, day, now);
  const used = plus(spent, reserved);
  if (!fits(budget, plus(used, least))) return true;
  const { exhausted } = book;
  if (exhausted?.period !== periodOf(day, budget)) return false;
  return !fits(budget, plus(used, exhausted.needed));
}

/** The limits of the budget alone, without its period. */
export function limitOf({ tokens, usd }: Budget): Partial<Amount> {
  return { ...(tokens !== undefined && { tokens }), ...(usd !== undefined && { usd }) };
}

function unrecorded({ expiresAt: _, ...reservation }: Reserved): Incurred {
  return { ...reservation, outcome: 'unrecorded', requests: 0 };
}
