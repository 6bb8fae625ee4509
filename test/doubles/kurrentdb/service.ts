import type { Database } from './database.ts';
import type { Faults } from './faults.ts';

/** State shared by the calls of the double. */
export interface Service {
  readonly database: Database;
  readonly faults: Faults;
  readonly maxAppendBytes: number;
  /** Closes the connection of a client, identified by the peer address of its calls. */
  cut(peer: string): void;
}
