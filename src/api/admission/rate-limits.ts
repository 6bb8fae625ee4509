import { LRUCache } from 'lru-cache';
import type { TenantContext } from '../../domain/access/context.ts';
import { bucketOf, limitOf, type Limit, type Limits } from '../../domain/admission/limits.ts';
import { TokenBucket, type BucketLimit, type BucketState } from '../../domain/admission/token-bucket.ts';
import { Problem } from '../../domain/problems.ts';

/** Callers whose state is kept, those that asked last. A caller that returns later begins with a full bucket. */
const keptCallers = 100_000;

/** What the `RateLimit` headers of an answer say: the state of the policy that has the fewest units left. */
export interface RateState extends BucketLimit, BucketState {
  readonly policy: 'key' | 'tenant';
}

interface Account {
  bucket: TokenBucket | undefined;
  underWay: number;
}

/** Counts what each credential and each tenant asks of this process. */
export class RateLimits {
  readonly #accounts = new LRUCache<string, Account>({ max: keptCallers });
  readonly #now: () => number;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Charges the cost of a request and counts the request as under way. Call the returned function when it ends. `onState` gets the state
   * of a caller that has a rate limit. Throws `rate-limited` if a limit is reached; then nothing is charged or counted.
   */
  begin(
    caller: TenantContext,
    cost: number,
    limits: Limits,
    onState: (state: RateState) => void = () => undefined,
  ): () => void {
    const parties = partiesOf(caller, limits).map((party) => ({
      ...party,
      account: this.#accountOf(party.id),
    }));
    for (const { policy, limit, account } of parties) {
      if (account.underWay < (limit.concurrency ?? Infinity)) continue;
      // Charges nothing: the caller learns what is left of its rate.
      this.#charge(parties, 0, onState);
      const detail = `the ${policy} may have ${limit.concurrency} requests under way at a time`;
      throw new Problem('rate-limited', detail, { retryAfter: 1 });
    }
    this.#charge(parties, cost, onState);
    for (const { account } of parties) account.underWay++;
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      for (const { account } of parties) account.underWay--;
    };
  }

  /** Charges every bucket, or none if one of them does not have enough. */
  #charge(parties: readonly Party[], cost: number, onState: (state: RateState) => void): void {
    let least: RateState | undefined;
    for (const [index, { policy, limit, account }] of parties.entries()) {
      const bucket = bucketOf(limit);
      if (!bucket) continue;
      account.bucket ??= new TokenBucket(bucket, this.#now());
      const state = { policy, ...bucket, ...account.bucket.take(cost, bucket, this.#now()) };
      if (!least || !state.isAllowed || state.remaining < least.remaining) least = state;
      if (state.isAllowed) continue;
      this.#giveBack(parties.slice(0, index), cost);
      onState(state);
      throw new Problem(
        'rate-limited',
        `the ${policy} may ask for ${bucket.unitsPerSecond} units of work each second`,
        {
          retryAfter: Math.max(1, Math.ceil(state.retryAfter)),
        },
      );
    }
    if (least) onState(least);
  }

  #giveBack(parties: readonly Party[], cost: number): void {
    for (const { limit, account } of parties) {
      const bucket = bucketOf(limit);
      if (bucket) account.bucket?.take(-cost, bucket, this.#now());
    }
  }

  #accountOf(id: string): Account {
    let account = this.#accounts.get(id);
    if (!account) this.#accounts.set(id, (account = { bucket: undefined, underWay: 0 }));
    return account;
  }
}

interface Party {
  readonly policy: RateState['policy'];
  readonly limit: Limit;
  readonly account: Account;
}

/** Whom the limits of a tenant concern: the credential, and the tenant as a whole. */
function partiesOf(caller: TenantContext, limits: Limits) {
  const { tenant, principal, roles } = caller;
  const all = [
    { policy: 'key', id: `${tenant} ${principal}`, limit: limitOf(limits, roles) },
    { policy: 'tenant', id: tenant, limit: limits.perTenant ?? {} },
  ] as const;
  return all.filter(({ limit }) => limit.concurrency !== undefined || limit.unitsPerSecond !== undefined);
}
