/** A lease ends so long after it was last renewed, … */
export const leaseTtlMs = 5_000;

/** … so its holder renews it this often, and who waits for it asks this often. */
export const leaseRenewalMs = 1_500;

/** Which process has a lease, as this one sees it. */
export type LeaseHolder = 'here' | 'elsewhere';

/**
 * Say which process does a piece of work that one should do. A process that was frozen may still believe that it holds
 * one: what keeps two writers apart is a guard in their transactions, on what they read or on the epoch.
 */
export interface Leases {
  /**
   * Takes or renews the lease for `leaseTtlMs`. Answers its epoch, which stays while the lease is renewed in time and
   * grows with every other taking, for ever; undefined while another process holds it.
   */
  hold(name: string): Promise<number | undefined>;
  /** Who holds each lease that is held now. */
  holders(): Promise<Map<string, LeaseHolder>>;
  /** Lets another process take it at once. */
  release(name: string): Promise<void>;
}
