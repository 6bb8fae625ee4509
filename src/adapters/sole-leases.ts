import type { LeaseHolder, Leases } from '../ports/leases.ts';

/**
 * Leases of a process that does not share its data, which the lock of its data folder guarantees. They are kept in memory;
 * epochs restart with the process.
 */
export class SoleLeases implements Leases {
  readonly #epochs = new Map<string, number>();
  readonly #held = new Set<string>();

  async hold(name: string): Promise<number> {
    const epoch = (this.#epochs.get(name) ?? 0) + (this.#held.has(name) ? 0 : 1);
    this.#epochs.set(name, epoch);
    this.#held.add(name);
    return epoch;
  }

  async holders(): Promise<Map<string, LeaseHolder>> {
    return new Map([...this.#held].map((name) => [name, 'here']));
  }

  async release(name: string): Promise<void> {
    this.#held.delete(name);
  }
}
