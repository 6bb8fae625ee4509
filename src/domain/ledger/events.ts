import { z } from 'zod';
import { defineEvent, type EventOf } from '../events/define.ts';
import { budgetSchema } from './budget.ts';

const count = z.int().nonnegative();
const dollars = z.number().nonnegative();
const amount = z.object({ tokens: count, usd: dollars });

/** What a cost was for. Version 3 of the events added `routing` and `facts`. */
export const costPurposes = ['summary', 'lesson', 'embedding', 'routing', 'facts'] as const;
export type CostPurpose = (typeof costPurposes)[number];

/** The budget of a tenant from now on. */
export const BudgetConfigured = defineEvent({
  type: 'BudgetConfigured',
  category: 'ledger',
  version: 1,
  routing: z.object(budgetSchema.shape),
  sealed: z.object({}),
});

/** The first cost of a month. From now on nothing is reserved in earlier months, even if the clock is set back. */
export const LedgerMonthOpened = defineEvent({
  type: 'LedgerMonthOpened',
  category: 'ledger',
  version: 1,
  /** Such as `2026-11`. */
  routing: z.object({ month: z.string() }),
  sealed: z.object({}),
});

const cost = {
  /** Identifies the reservation: the event that caused the work where there is one, so that a repetition is recognised. */
  id: z.string(),
  purpose: z.enum(costPurposes),
  /** Name of the model at its endpoint. */
  model: z.string(),
  /** The day of UTC that it is charged to. */
  day: z.string(),
  inputTokens: count,
  outputTokens: count,
  usd: dollars,
  /** Whether the price of the model is known; if not, `usd` is 0. */
  priced: z.boolean(),
  /** The spaces that it was for: it counts in the budget of each. Missing before version 2, and for none. */
  spaces: z.array(z.string()).optional(),
};

/** The most that a call can cost, set aside before it is made. */
export const CostReserved = defineEvent({
  type: 'CostReserved',
  category: 'ledger',
  version: 3,
  routing: z.object({ ...cost, expiresAt: z.iso.datetime() }),
  sealed: z.object({}),
  upcasters: { 1: (data) => data, 2: (data) => data },
});

/** What a call has cost. It ends the reservation with the same id. */
export const CostIncurred = defineEvent({
  type: 'CostIncurred',
  category: 'ledger',
  version: 3,
  routing: z.object({
    ...cost,
    /** `unrecorded`: the process ended before it recorded the cost, so the reservation is charged. */
    outcome: z.enum(['settled', 'unrecorded']),
    requests: count,
  }),
  sealed: z.object({}),
  upcasters: { 1: (data) => data, 2: (data) => data },
});

/** A call was not made because it could have cost more than was left. Recorded once for each period and limit. */
export const BudgetExhausted = defineEvent({
  type: 'BudgetExhausted',
  category: 'ledger',
  version: 3,
  routing: z.object({
    /** A day or a month, such as `2026-11-27` or `2026-11`. */
    period: z.string(),
    purpose: z.enum(costPurposes),
    /** The space whose budget it is; missing for that of the tenant, and before version 2. */
    space: z.string().optional(),
    limit: amount.partial(),
    spent: amount,
    reserved: amount,
    needed: amount,
    resetsAt: z.iso.datetime(),
  }),
  sealed: z.object({}),
  upcasters: { 1: (data) => data, 2: (data) => data },
});

export type BudgetEvent = EventOf<typeof BudgetConfigured> | EventOf<typeof LedgerMonthOpened>;

export type LedgerEvent =
  EventOf<typeof CostReserved> | EventOf<typeof CostIncurred> | EventOf<typeof BudgetExhausted>;

export type Reserved = EventOf<typeof CostReserved>['data'];
export type Incurred = EventOf<typeof CostIncurred>['data'];
export type Exhausted = EventOf<typeof BudgetExhausted>['data'];
