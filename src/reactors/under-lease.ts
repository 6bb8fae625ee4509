import { setTimeout as sleep } from 'node:timers/promises';
import { leaseRenewalMs, type Leases } from '../ports/leases.ts';

/**
 * Waits for the lease, renews it while `work` runs, and then releases it. A lease that expired meanwhile is taken again if it is free. Rejects
 * if `work` does, or if `signal` aborts while it waits.
 */
export async function underLease<Result>(
  leases: Leases,
  name: string,
  work: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  while ((await leases.hold(name)) === undefined) await sleep(leaseRenewalMs, undefined, { signal });
  const renewal = setInterval(() => void leases.hold(name).catch(() => undefined), leaseRenewalMs);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    await leases.release(name).catch(() => undefined);
  }
}
