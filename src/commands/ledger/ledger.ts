import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import {
  apply,
  balanceOf,
  emptyBook,
  type Balance,
  type Book,
  type ModelCosts,
} from '../../domain/ledger/book.ts';
import { unlimited, type Amount, type Budget } from '../../domain/ledger/budget.ts';
import { dayOf, endOfPeriod, monthOf } from '../../domain/ledger/days.ts';
import {
  chargedDay,
  decideExhausted,
  decideReserve,
  decideSettle,
  isExhausted,
  limitOf,
  type ReservationOutcome,
  type WantedReservation,
} from '../../domain/ledger/decide.ts';
import type { BudgetEvent, CostPurpose, Incurred, LedgerEvent } from '../../domain/ledger/events.ts';
import { costOf, type PriceList } from '../../domain/ledger/prices.ts';
import {
  budgetsOf,
  spendingOf,
  type SpaceBudgets,
  type SpaceSpending,
} from '../../domain/ledger/space-budgets.ts';
import { configOf, type Space } from '../../domain/spaces/spaces.ts';
import { groupBy } from '../../domain/group-by.ts';
import { Problem } from '../../domain/problems.ts';
import { budgetStream, ledgerStream } from '../../domain/streams.ts';
import { WrongExpectedRevision, type StreamName } from '../../ports/event-log.ts';
import { KeyedMutex } from '../../support/keyed-mutex.ts';
import { unsealedContext, type CommandContext, type CommandServices } from '../context.ts';

/** Ledgers that are cached. For others, the events of the month are read again. */
const maxCached = 1_000;
/** Longer than any call takes, retries included. */
const reservationMs = 600_000;
const maxAttempts = 50;

/** A call that is about to be made. Its tokens are the most that it can use. */
export type PlannedCall = Omit<WantedReservation, 'usd' | 'priced'>;

/** What the ledger says to a planned call, and the day that it will be charged to. */
export interface Reservation {
  readonly outcome: ReservationOutcome;
  readonly day: string;
}

/** A call that was made; `day` is that of its reservation. */
export interface MadeCall extends Omit<Incurred, 'usd' | 'priced' | 'day' | 'outcome'> {
  readonly day?: string;
}

export interface LedgerState extends Balance {
  readonly budget: Budget;
  readonly resetsAt: string;
  readonly month: string;
  readonly models: readonly ModelCosts[];
  readonly exhausted: boolean;
}

interface Accounts {
  budget: Budget;
  /** The last month that anything was charged to. */
  month: string | undefined;
  headRevision: number;
  book: Book;
  bookMonth: string;
  bookRevision: number;
}

/**
 * The costs of tenants, as streams of events. A call is reserved before it is made, in the order of the log: the append names the
 * revision that the decision is based on, so two processes cannot spend the same money. The ledger of a tenant is cached,
 * and completed from the log before each decision.
 */
export class Ledger {
  readonly #services: CommandServices;
  readonly #prices: PriceList;
  readonly #accounts = new LRUCache<string, Accounts>({ max: maxCached });
  readonly #mutex = new KeyedMutex();
  #refused = 0;

  constructor(services: CommandServices, prices: PriceList) {
    this.#services = services;
    this.#prices = prices;
  }

  /** Calls of models that this process did not make because a budget was used up. */
  get refused(): number {
    return this.#refused;
  }

  /** A reservation for each call, in their order. Only a call whose outcome is `reserved` may be made. */
  async reserve(context: CommandContext, calls: readonly PlannedCall[]): Promise<readonly Reservation[]> {
    const wanted = calls.map((call) => ({ ...call, ...costOf(this.#prices, call.model, call) }));
    const spaceBudgets = await this.#spaceBudgets(context.caller.tenant, calls);
    const { outcomes, day } = await this.#change(context, ({ book, budget }, now) => ({
      ...decideReserve(book, budget, now, reservationMs, wanted, spaceBudgets),
      day: chargedDay(book, now),
    }));
    this.#refused += outcomes.filter((outcome) => outcome === 'exhausted').length;
    return outcomes.map((outcome) => ({ outcome, day }));
  }

  /** Charges what calls have cost, and ends their reservations. A call without requests costs nothing. */
  async settle(context: CommandContext, calls: readonly MadeCall[]): Promise<void> {
    for (const [month, ofMonth] of groupBy(calls, ({ day }) => day && monthOf(day))) {
      const incurred = ofMonth.map(({ day: _, ...call }) => ({
        ...call,
        ...costOf(this.#prices, call.model, call),
        outcome: 'settled' as const,
      }));
      await this.#change(context, ({ book }, now) => ({ events: decideSettle(book, incurred, now) }), month);
    }
  }

  /** The problem of a caller whose tenant has less left than `least`; undefined if there is more. */
  async refusal(context: CommandContext, purpose: CostPurpose, least: Amount): Promise<Problem | undefined> {
    const { refused } = await this.#change(context, ({ book, budget }, now) => {
      if (!isExhausted(book, budget, now, least)) return { events: [], refused: undefined };
      const day = chargedDay(book, now);
      const balance = balanceOf(book, budget, day, now);
      return {
        events: decideExhausted(book, budget, day, balance, purpose, least),
        refused: { limit: limitOf(budget), spent: balance.spent, resetsAt: endOfPeriod(day, budget), budget },
      };
    });
    if (!refused) return undefined;
    this.#refused++;
    const { limit, spent, resetsAt, budget } = refused;
    const detail = `the budget of this ${budget.period} is used up until ${resetsAt}`;
    return new Problem('budget-exhausted', detail, { extra: { limit, spent: { ...spent }, resetsAt } });
  }

  /** Whether a call would fit into the budget now, and into those of its spaces. */
  async hasRoom(tenant: string, call: PlannedCall): Promise<boolean> {
    const wanted = { ...call, ...costOf(this.#prices, call.model, call) };
    const spaceBudgets = await this.#spaceBudgets(tenant, [call]);
    return this.#mutex.run(tenant, async () => {
      const now = this.#services.clock.now();
      const { book, budget } = await this.#read(tenant, now);
      const { outcomes } = decideReserve(book, budget, now, reservationMs, [wanted], spaceBudgets);
      return outcomes[0] !== 'exhausted';
    });
  }

  /** What spaces have spent, by id. */
  async spending(tenant: string, spaces: readonly Space[]): Promise<ReadonlyMap<string, SpaceSpending>> {
    return this.#mutex.run(tenant, async () => {
      const now = this.#services.clock.now();
      const { book } = await this.#read(tenant, now);
      const day = chargedDay(book, now);
      return new Map(spaces.map(({ id, config }) => [id, spendingOf(book, id, budgetsOf(config), day, now)]));
    });
  }

  /** The budgets of the spaces that calls name; nothing is read if they name none. */
  async #spaceBudgets(tenant: string, calls: readonly PlannedCall[]): Promise<SpaceBudgets> {
    const named = new Set(calls.flatMap(({ spaces = [] }) => spaces));
    if (named.size === 0) return new Map();
    const spaces = await this.#services.spaces.of(tenant);
    return new Map([...named].map((id) => [id, budgetsOf(configOf(spaces, id))]));
  }

  async state(tenant: string): Promise<LedgerState> {
    return this.#mutex.run(tenant, async () => {
      const now = this.#services.clock.now();
      const { budget, book, bookMonth } = await this.#read(tenant, now);
      const day = chargedDay(book, now);
      return {
        budget,
        ...balanceOf(book, budget, day, now),
        resetsAt: endOfPeriod(day, budget),
        month: bookMonth,
        models: [...book.models.values()],
        exhausted: isExhausted(book, budget, now, { tokens: 1, usd: 0 }),
      };
    });
  }

  /** What models had cost a tenant in the month of `at`, when the log had reached the position `upTo`. */
  async costsAt(tenant: string, at: Date, upTo: number): Promise<Pick<LedgerState, 'month' | 'models'>> {
    const month = monthOf(dayOf(at));
    const book = emptyBook(`${month}-01`);
    for (const { event, position } of await this.#services.store.load<LedgerEvent>(
      ledgerStream(tenant, month),
    ))
      if (position <= upTo) apply(book, event);
    return { month, models: [...book.models.values()] };
  }

  async #change<Decision extends { readonly events: readonly LedgerEvent[] }>(
    context: CommandContext,
    decide: (accounts: Accounts, now: Date) => Decision,
    month?: string,
  ): Promise<Decision> {
    const { tenant } = context.caller;
    return this.#mutex.run(tenant, async () => {
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const now = this.#services.clock.now();
        const accounts = await this.#read(tenant, now, month);
        const decision = decide(accounts, now);
        const { events } = decision;
        if (events.length === 0 || (await this.#append(context, accounts, events))) return decision;
        await sleep(Math.random() * 5 * Math.min(attempt, 10));
      }
      throw new Problem('unavailable', 'too many writers race for this ledger', { retryAfter: 1 });
    });
  }

  /** False if another writer was faster. */
  async #append(
    context: CommandContext,
    accounts: Accounts,
    events: readonly LedgerEvent[],
  ): Promise<boolean> {
    const { tenant } = context.caller;
    const append = (stream: StreamName, revision: number, what: readonly (LedgerEvent | BudgetEvent)[]) =>
      this.#services.store.append(
        stream,
        revision < 0 ? 'noStream' : revision,
        what,
        unsealedContext(context),
      );
    const month = accounts.bookMonth;
    try {
      if (accounts.month === undefined || accounts.month < month) {
        const opened: BudgetEvent = { type: 'LedgerMonthOpened', data: { month } };
        const { revision } = await append(budgetStream(tenant), accounts.headRevision, [opened]);
        accounts.headRevision = revision;
        accounts.month = month;
      }
      const { revision } = await append(ledgerStream(tenant, month), accounts.bookRevision, events);
      for (const event of events) apply(accounts.book, event);
      accounts.bookRevision = revision;
      return true;
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
      return false;
    }
  }

  /**
   * The accounts as they are in the log now, in the month of `now` or the last one that was opened; in `month` for what was reserved
   * in it.
   */
  async #read(tenant: string, now: Date, wanted = ''): Promise<Accounts> {
    const { store } = this.#services;
    const accounts = this.#accounts.get(tenant) ?? newAccounts();
    const head = await store.load<BudgetEvent>(budgetStream(tenant), accounts.headRevision + 1);
    for (const { event, revision } of head) {
      if (event.type === 'BudgetConfigured') accounts.budget = event.data;
      else accounts.month = event.data.month;
      accounts.headRevision = revision;
    }
    const current = monthOf(dayOf(now));
    const latest = accounts.month !== undefined && accounts.month > current ? accounts.month : current;
    const month = wanted === '' ? latest : wanted;
    if (accounts.bookMonth !== month) {
      accounts.book = emptyBook(`${month}-01`);
      accounts.bookMonth = month;
      accounts.bookRevision = -1;
    }
    const added = await store.load<LedgerEvent>(ledgerStream(tenant, month), accounts.bookRevision + 1);
    for (const { event, revision } of added) {
      apply(accounts.book, event);
      accounts.bookRevision = revision;
    }
    this.#accounts.set(tenant, accounts);
    return accounts;
  }
}

const newAccounts = (): Accounts => ({
  budget: unlimited,
  month: undefined,
  headRevision: -1,
  book: emptyBook(''),
  bookMonth: '',
  bookRevision: -1,
});
