/** Time after its last renewal at which a lease ends. */
export const leaseTtlMs = 5_000;

/** Interval at which a holder renews its lease, and other processes try to take it. */
export const leaseRenewalMs = 1_500;

/** Whether this process or another one holds a lease. */
export type LeaseHolder = 'here' | 'elsewhere';

/**
 * Elects the process that does a piece of work. A process that was frozen may still believe that it holds a lease. So
 * writers also need a guard in their transactions, on the data that they read or on the epoch.
 */
export interface Leases {
  /**
   * Takes or renews the lease for `leaseTtlMs`. Returns its epoch, which stays the same while the lease is renewed in time and
   * increases each time it is taken; undefined while another process holds it.
   */
  hold(name: string): Promise<number | undefined>;
  /** The holder of each lease that is currently held. */
  holders(): Promise<Map<string, LeaseHolder>>;
  /** Ends the lease, so that another process can take it at once. */
  release(name: string): Promise<void>;
}
