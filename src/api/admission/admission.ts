import type { TurnOptions } from '../../domain/admission/turn-options.ts';
import { isMaster } from '../../commands/api-keys.ts';
import { systemTenant, type TenantContext } from '../../domain/access/context.ts';
import type { LimitsDirectory } from './limits-directory.ts';
import { Problem } from '../../domain/problems.ts';
import { RateLimits, type RateState } from './rate-limits.ts';
import { Turns, type HeldTurn } from './turns.ts';

/** Bulk stores, exports and followed audit trails that a credential may have open at a time. */
const maxStreams = 64;

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
  /** Open streams by credential. */
  readonly #streams = new Map<string, number>();

  constructor(limits: LimitsDirectory, turns: TurnOptions) {
    this.limits = limits;
    this.turns = new Turns(turns);
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
    const end = this.#rates.begin(caller, cost, await this.limits.of(caller.tenant), onState);
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

  /** Counts a stream as open until what it returns is called. Throws `rate-limited` if the caller has too many. */
  openStream({ tenant, principal }: TenantContext): () => void {
    const key = `${tenant} ${principal}`;
    const open = this.#streams.get(key) ?? 0;
    if (open >= maxStreams)
      throw new Problem('rate-limited', `a credential may have ${maxStreams} streams open at a time`, {
        retryAfter: 5,
      });
    this.#streams.set(key, open + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = this.#streams.get(key)! - 1;
      if (left === 0) this.#streams.delete(key);
      else this.#streams.set(key, left);
    };
  }
}
