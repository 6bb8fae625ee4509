import type { EventType } from '../domain/events/registry.ts';
import { generationTable } from '../read-models/generation-table.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import type { SqlExecutor } from '../ports/sql.ts';
import type { Write } from './write.ts';

/** The names of one generation's tables: `tables('memories')` is `read.memories_g3`. */
export type Tables = (table: string) => string;

/**
 * One read model. Each generation has tables of its own, so that a new one is built beside the old. A row is written
 * by the events of one stream alone, or by increments whose order does not matter: events of different streams may
 * arrive in any order.
 */
export interface Projection<Prepared = unknown> {
  readonly name: string;
  /** Grows when the tables or the meaning of their rows change: an older generation is then rebuilt at start. */
  readonly version: number;
  /** What else the rows depend on, such as the embedding model: a generation of another one is rebuilt too. */
  readonly variant?: string;
  readonly handles: readonly EventType[];
  /** Events that one transaction takes at most: a slow index must not hold everything else up. */
  readonly batchSize?: number;
  /** As `batchSize`, on a database that works on several things at once. A rebuild takes whole pages. */
  readonly largeBatchSize?: number;
  /** Every table that it owns, for dropping a generation. */
  readonly tables: readonly string[];
  /** Creates the tables of a generation with their indexes: inserts in slices hold no query up, a late index would. */
  create(tables: Tables): readonly string[];
  /** Work that must not hold a transaction (embedding). Its result is handed to `plan` with the same events. */
  readonly prepare?: (events: readonly LoadedEvent[], context: PrepareContext) => Promise<Prepared>;
  /**
   * Reads the rows that `events` change, as they stand, and answers what writes their effect, in the transaction that moves
   * the bookmark. Until then they stay as they are: whoever else writes to rows of these streams moves that bookmark, or
   * what is parked at it, and then nothing is written.
   */
  plan(
    events: readonly LoadedEvent[],
    executor: SqlExecutor,
    tables: Tables,
    prepared: Prepared,
  ): Promise<Write>;
  /** A query for one row `{digest}` over ids, revisions, models and hashes: equal models have equal digests. */
  digest(tables: Tables): string;
  readonly external?: ExternalStore;
  /** The same read model with other rows, such as vectors of another model; undefined where it cannot be kept here. */
  readonly inVariant?: (variant: string) => Projection | undefined;
  /** What all generations of a variant have in common: it goes with the last of them. */
  readonly sharedTables?: (variant: string) => readonly string[];
  /** Takes out of them what `live` has not: a generation that was given up may have written there what was erased meanwhile. */
  readonly purgeShared?: (variant: string, live: Tables) => readonly string[];
}

/** What a read model keeps outside of the database, by its generations. */
export interface ExternalStore {
  /** Makes room for a generation; may come again where its tables were not committed. */
  create(generation: number): Promise<void>;
  /** Resolves too where there is nothing to drop. */
  drop(generation: number): Promise<void>;
  /** Of equal generations the same; `executor` and `tables` read their rows as they stand at the bookmark. */
  digest(generation: number, executor: SqlExecutor, tables: Tables): Promise<string>;
}

export interface PrepareContext {
  readonly sql: SqlExecutor;
  readonly tables: Tables;
  readonly generation: number;
  /** There where it is worth while: where several run at once, or the batch is larger than an ordinary one. */
  readonly beside?: Beside | undefined;
}

/** Transactions before the one that writes, for what may be repeated and may be ahead of the bookmark. */
export interface Beside {
  /** How many run at once. Where it is one, each keeps everybody else from the database. */
  readonly lanes: number;
  /** The bookmark stays where it is until it ends, and a process that was overtaken is refused. */
  readonly transaction: (body: (tx: SqlExecutor) => Promise<void>) => Promise<void>;
}

/** Two generations of one signature hold the same rows. */
export function signatureOf({ version, variant = '' }: Projection): string {
  return `${version}${variant === '' ? '' : `/${variant}`}`;
}

/** Plans what `events` change and writes it, both inside `tx`. */
export async function applyIn<Prepared>(
  tx: SqlExecutor,
  projection: Projection<Prepared>,
  tables: Tables,
  events: readonly LoadedEvent[],
  prepared: Prepared,
): Promise<void> {
  const write = await projection.plan(events, tx, tables, prepared);
  await write(tx);
}

export function tablesOf(generation: number): Tables {
  return (table) => generationTable(table, generation);
}

/** Shows rows of the caller's tenant to the query role and nothing to a role without a tenant. */
export function protect(table: string): readonly string[] {
  return [
    `alter table ${table} enable row level security`,
    `alter table ${table} force row level security`,
    `create policy own_tenant on ${table} for select to stratalog_query using (tenant = current_setting('app.tenant', true))`,
    `create policy owner on ${table} to current_user using (true) with check (true)`,
    `grant select on ${table} to stratalog_query`,
  ];
}
