import { shapes, type Ceilings, type Shape } from '../../domain/admission/ceilings.ts';
import type { TurnOptions } from '../../domain/admission/turn-options.ts';
import { isMaster } from '../../commands/api-keys.ts';
import { systemTenant, type TenantContext } from '../../domain/access/context.ts';
import type { LimitsDirectory } from './limits-directory.ts';
import { Problem } from '../../domain/problems.ts';
import { RateLimits, type RateState } from './rate-limits.ts';
import { Turns, type HeldTurn } from './turns.ts';

/** What a request asks for. */
export interface Demand {
  /** Estimated work; 1 is a plain search. */
  readonly cost: number;
  /** Whether it waits for its turn: searches and other reads of much, whose work would otherwise delay that of all others. */
  readonly needsTurn: boolean;
}

/** A request that was let in. */
export interface Admitted {
  readonly turn: HeldTurn | undefined;
  readonly end: () => void;
}

/** Decides whether and when a request is worked on: by the limits of its tenant, and by its turn in this process. */
export class Admission {
  readonly limits: LimitsDirectory;
  readonly turns: Turns;
  readonly #rates = new RateLimits(() => performance.now());
  readonly #ceilings: Ceilings;
  /** Calls under way by credential and shape. */
  readonly #underWay = new Map<string, number>();
  #limited = 0;

  constructor(limits: LimitsDirectory, turns: TurnOptions, ceilings: Ceilings) {
    this.limits = limits;
    this.#ceilings = ceilings;
    this.turns = new Turns(turns);
  }

  /** Requests that were refused because their caller had reached a limit of its own. */
  get limited(): number {
    return this.#limited;
  }

  /**
   * Lets a request in. Rejects with `rate-limited` or `overloaded`, or with the reason of the signal. The master key and this program itself
   * are not limited.
   */
  async admit(
    caller: TenantContext,
    { cost, needsTurn }: Demand,
    signal: AbortSignal,
    onState?: (state: RateState) => void,
  ): Promise<Admitted> {
    if (isMaster(caller) || caller.tenant === systemTenant) return { turn: undefined, end: () => undefined };
    const limits = await this.limits.of(caller.tenant);
    const end = this.#counted(() => this.#rates.begin(caller, cost, limits, onState));
    try {
      const flow = { tenant: caller.tenant, key: caller.principal };
      const turn = needsTurn ? await this.turns.take(flow, cost, signal) : undefined;
      return {
        turn,
        end: () => {
          turn?.end();
          end();
        },
      };
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Counts a call as under way until what it returns is called. Throws `rate-limited` if the caller has too many of its shape. */
  enter({ tenant, principal }: TenantContext, shape: Shape | undefined): () => void {
    if (!shape) return () => undefined;
    const key = JSON.stringify([tenant, principal, shape]);
    const count = this.#underWay.get(key) ?? 0;
    const ceiling = this.#ceilings[shape];
    if (count >= ceiling) {
      this.#limited++;
      const detail = `a credential may have ${ceiling} ${shapes[shape]} under way at a time`;
      throw new Problem('rate-limited', detail, { retryAfter: 1 });
    }
    this.#underWay.set(key, count + 1);
    let isUnderWay = true;
    return () => {
      if (!isUnderWay) return;
      isUnderWay = false;
      const left = this.#underWay.get(key)! - 1;
      if (left === 0) this.#underWay.delete(key);
      else this.#underWay.set(key, left);
    };
  }

  #counted<T>(begin: () => T): T {
    try {
      return begin();
    } catch (error) {
      this.#limited++;
      throw error;
    }
  }
}
