import type { JsonObject } from '../json.ts';
import type { Scope } from '../layers.ts';

/** The parts of a memory that are compared with other memories. */
export interface ComparableMemory {
  readonly id: string;
  readonly externalId?: string | undefined;
  readonly content: string;
  readonly scope: Scope;
  readonly metadata: JsonObject;
  /** ISO 8601. */
  readonly occurredAt?: string | undefined;
  /** When it was last told again; ISO 8601. */
  readonly affirmedAt?: string | undefined;
}
