import { setTimeout as sleep } from 'node:timers/promises';
import { leaseRenewalMs, type Leases } from '../ports/leases.ts';

/**
 * Waits until this process holds the lease, does `work` while it renews it, and lets go of it. Rejects with what `work`
 * rejects with, or where `signal` aborts the waiting.
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
