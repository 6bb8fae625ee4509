import { KeyedMutex } from '../../support/keyed-mutex.ts';
import type { CommandContext } from '../context.ts';
import type { Ledger, PlannedCall } from './ledger.ts';

/** Tokens that are reserved at once, so that not every query is an event. */
const tokensAtOnce = 10_000;
/** An allowance is settled this long after it was reserved. */
const openMs = 5_000;
/** After a refusal the ledger is not asked again for so long. */
const refusedMs = 1_000;

/** Who pays for a call. */
export interface Payer {
  readonly tenant: string;
  /** The spaces in whose budgets it counts too; undefined for none. */
  readonly spaces: readonly string[] | undefined;
}

interface Allowance {
  readonly id: string;
  readonly context: CommandContext;
  readonly model: string;
  readonly spaces: readonly string[] | undefined;
  readonly day: string;
  readonly tokens: number;
  readonly timer: NodeJS.Timeout;
  used: number;
  requests: number;
}

/**
 * Tokens of embedding models that were reserved in advance, for each tenant, model and set of spaces. Calls take from them; what was
 * used is charged as one cost.
 */
export class TokenAllowances {
  readonly #ledger: Ledger;
  readonly #newId: () => string;
  readonly #contextOf: (tenant: string) => CommandContext;
  readonly #onError: (error: unknown) => void;
  readonly #open = new Map<string, Allowance>();
  readonly #refusedUntil = new Map<string, number>();
  readonly #mutex = new KeyedMutex();

  /** `onError` is called if a cost could not be charged: it is charged as reserved later. */
  constructor(
    ledger: Ledger,
    newId: () => string,
    contextOf: (tenant: string) => CommandContext,
    onError: (error: unknown) => void,
  ) {
    this.#ledger = ledger;
    this.#newId = newId;
    this.#contextOf = contextOf;
    this.#onError = onError;
  }

  /**
   * Takes tokens for a call, and returns a function that gives them back; undefined if the budget, or that of one of the spaces, has not so
   * many left.
   */
  take({ tenant, spaces }: Payer, model: string, tokens: number): Promise<(() => void) | undefined> {
    const key = [tenant, model, ...(spaces ?? [])].join(' ');
    return this.#mutex.run(key, async () => {
      let allowance = this.#open.get(key);
      if (!allowance || allowance.used + tokens > allowance.tokens) {
        if (performance.now() < (this.#refusedUntil.get(key) ?? 0)) return undefined;
        await this.#settle(key);
        allowance = await this.#reserve(key, { tenant, spaces }, model, tokens);
        if (!allowance) return undefined;
      }
      const taken = allowance;
      taken.used += tokens;
      taken.requests++;
      return () => {
        taken.used -= tokens;
        taken.requests--;
      };
    });
  }

  /** Charges everything that was used. */
  async close(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((key) => this.#mutex.run(key, () => this.#settle(key))));
  }

  async #reserve(
    key: string,
    { tenant, spaces }: Payer,
    model: string,
    tokens: number,
  ): Promise<Allowance | undefined> {
    const context = this.#contextOf(tenant);
    const id = this.#newId();
    const call = (inputTokens: number): PlannedCall => ({
      id,
      purpose: 'embedding',
      model,
      inputTokens,
      outputTokens: 0,
      ...(spaces && { spaces: [...spaces] }),
    });
    const many = Math.max(tokensAtOnce, tokens);
    const size = (await this.#ledger.hasRoom(tenant, call(many))) ? many : tokens;
    const [reservation] = await this.#ledger.reserve(context, [call(size)]);
    if (reservation?.outcome !== 'reserved') {
      this.#refusedUntil.set(key, performance.now() + refusedMs);
      return undefined;
    }
    this.#refusedUntil.delete(key);
    const timer = setTimeout(() => void this.#mutex.run(key, () => this.#settle(key)), openMs);
    timer.unref();
    const allowance = {
      id,
      context,
      model,
      spaces,
      day: reservation.day,
      tokens: size,
      timer,
      used: 0,
      requests: 0,
    };
    this.#open.set(key, allowance);
    return allowance;
  }

  async #settle(key: string): Promise<void> {
    const allowance = this.#open.get(key);
    if (!allowance) return;
    this.#open.delete(key);
    const { id, context, model, spaces, day, timer, used, requests } = allowance;
    clearTimeout(timer);
    const cost = {
      id,
      purpose: 'embedding' as const,
      model,
      day,
      inputTokens: used,
      outputTokens: 0,
      requests,
      ...(spaces && { spaces: [...spaces] }),
    };
    await this.#ledger.settle(context, [cost]).catch(this.#onError);
  }
}
