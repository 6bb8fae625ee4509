import type { Database } from './database.ts';
import type { Faults } from './faults.ts';

/** What the calls of the double work on. */
export interface Service {
  readonly database: Database;
  readonly faults: Faults;
  readonly maxAppendBytes: number;
  /** Ends the connection of a client, by the address that its calls name. */
  cut(peer: string): void;
}
