import type { EventType } from '../domain/events/registry.ts';
import { generationTable } from '../read-models/generation-table.ts';
import { digestOfAll } from '../read-models/digest.ts';
import type { AnyTable, Tables } from '../read-models/table.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import type { SqlExecutor } from '../ports/sql.ts';
import type { Holding } from './holding.ts';
import type { PrepareContext as HandlerContext, Write } from '../follow/handler.ts';

/**
 * One read model. Each generation has its own tables, so a new one is built beside the old one. Events of different streams may arrive
 * in any order, unless it is `ordered`. A row is therefore written by the events of one stream only, or by increments whose order does not matter.
 */
export interface Projection<Prepared = unknown> {
  readonly name: string;
  /** Increased when the tables or the meaning of their rows change: an older generation is then rebuilt at startup. */
  readonly version: number;
  /** What else the rows depend on, such as the embedding model: a generation of another variant is rebuilt too. */
  readonly variant?: string;
  readonly handles: readonly EventType[];
  /** Its rows depend on the order of events of different streams: it follows the log itself, even if other read models follow topics. */
  readonly ordered?: boolean;
  /** Maximum number of events in one transaction: a slow index must not block everything else. */
  readonly batchSize?: number;
  /** Maximum number of events in one transaction of a database with several connections. A rebuild applies whole pages. */
  readonly largeBatchSize?: number;
  /** All tables of a generation, which are dropped with it. */
  readonly tables: readonly string[];
  /** Creates the tables of a generation with their indexes. Creating an index later would block queries; inserting in slices does not. */
  create(tables: Tables): readonly string[];
  /** Work that must not keep a transaction open, such as embedding. `plan` receives its result with the same events. */
  readonly prepare?: (events: readonly LoadedEvent[], context: PrepareContext) => Promise<Prepared>;
  /**
   * Reads the rows that `events` change and returns a function that writes their new state in the transaction that moves the checkpoint.
   * The rows cannot change in between: another writer of these rows also moves the checkpoint, or changes the parked streams, and in
   * both cases this transaction writes nothing.
   */
  plan(
    events: readonly LoadedEvent[],
    executor: SqlExecutor,
    tables: Tables,
    prepared: Prepared,
  ): Promise<Write>;
  /** Counts the rows of a memory, so that an erasure can be verified. */
  readonly holds: Holding;
  /** A query for one row `{digest}` over ids, revisions, models and hashes: equal read models have equal digests. */
  digest(tables: Tables): string;
  readonly external?: ExternalStore;
  /** The same read model in another variant, such as vectors of another model; undefined if this process cannot maintain it. */
  readonly inVariant?: (variant: string) => Projection | undefined;
  /** Tables that all generations of a variant share: they are dropped with the last of them. */
  readonly sharedTables?: (variant: string) => readonly string[];
  /** Deletes from the shared tables what `live` does not have: an abandoned generation may have written what was erased meanwhile. */
  readonly purgeShared?: (variant: string, live: Tables) => readonly string[];
}

/** What follows from the declarations of the tables of a read model. */
export function declaredBy(
  ...declared: readonly AnyTable[]
): Pick<Projection, 'tables' | 'create' | 'digest'> {
  return {
    tables: declared.map(({ name }) => name),
    create: (tables) => declared.flatMap((table) => table.create(tables)),
    digest: (tables) => digestOfAll(...declared.map((table) => table.digest(tables))),
  };
}

/** What a read model keeps outside of the database, for each generation. */
export interface ExternalStore {
  /** Prepares the store for a generation. Repeated if the transaction that creates the tables fails. */
  create(generation: number): Promise<void>;
  /** Also resolves if there is nothing to drop. */
  drop(generation: number): Promise<void>;
  /** Generations with the same contents have the same digest; `executor` and `tables` read the rows at the checkpoint. */
  digest(generation: number, executor: SqlExecutor, tables: Tables): Promise<string>;
}

export interface PrepareContext extends HandlerContext {
  readonly tables: Tables;
  readonly generation: number;
}

/** Two generations with the same signature hold the same rows. */
export function signatureOf({ version, variant = '' }: Projection): string {
  return `${version}${variant === '' ? '' : `/${variant}`}`;
}

export function tablesOf(generation: number): Tables {
  return (table) => generationTable(table, generation);
}
