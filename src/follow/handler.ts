import type { EventType } from '../domain/events/registry.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import type { SqlExecutor } from '../ports/sql.ts';

/**
 * What a transaction writes. It is computed before the transaction begins: on a database with one connection an open transaction blocks
 * everything else, and the database would wait for the rows to be computed.
 */
export type Write = (tx: SqlExecutor) => Promise<unknown>;

export const nothing: Write = () => Promise.resolve();

/** What a follower does with the events that it handles. */
export interface Handler<Prepared = unknown> {
  readonly handles: readonly EventType[];
  /** Maximum number of events in one transaction: a slow index must not block everything else. */
  readonly batchSize?: number | undefined;
  /** Maximum number of events in one transaction of a database with several connections. A rebuild applies whole pages. */
  readonly largeBatchSize?: number | undefined;
  /** Sealed fields are not needed: the events are not decrypted. */
  readonly routingOnly?: boolean | undefined;
  /** Work that must not keep a transaction open. `plan` receives its result with the same events. */
  prepare(events: readonly LoadedEvent[], context: PrepareContext): Promise<Prepared>;
  /** Returns what the transaction that moves the checkpoint writes. */
  plan(events: readonly LoadedEvent[], executor: SqlExecutor, prepared: Prepared): Promise<Write>;
}

export interface PrepareContext {
  readonly sql: SqlExecutor;
  /** Given where early writes save time: with several connections, or for a batch above the usual size. */
  readonly early?: EarlyWrites | undefined;
}

/** Transactions before the one that moves the checkpoint, for writes that may be repeated and may be ahead of the checkpoint. */
export interface EarlyWrites {
  /** How many may run at once. With one, each blocks all other users of the database. */
  readonly lanes: number;
  /** Locks the checkpoint until it ends; rejects in a process whose checkpoint is outdated. */
  readonly transaction: (body: (tx: SqlExecutor) => Promise<void>) => Promise<void>;
}
