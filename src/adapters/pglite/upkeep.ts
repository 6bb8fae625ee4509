/** PostgreSQL's statistics of a table, which are reset at each start. `bytes` includes its indexes. */
export interface TableState {
  /** Quoted and qualified name. */
  readonly name: string;
  readonly live: number;
  readonly dead: number;
  /** Rows inserted since the last vacuum. */
  readonly inserted: number;
  /** Rows changed since the last analyze. */
  readonly modified: number;
  /** Transactions since the oldest unfrozen one of this table. */
  readonly age: number;
  readonly bytes: number;
  readonly pages: number;
  /** Rows according to the planner's statistics; negative before the first vacuum or analyze. */
  readonly known: number;
  /** Pages that no vacuum has seen according to the catalog; 0 after a vacuum since the start. */
  readonly unseen: number;
  /** Whether it has an HNSW index, called its graph here. */
  readonly hasGraph: boolean;
  /** Dead rows that vacuums have removed everywhere but in the graph. */
  readonly inGraph: number;
}

/** A statement for one table. */
export interface TableTask {
  readonly statement: string;
  readonly table: string;
  /** Dead rows that are left only in its graph after the statement. */
  readonly inGraph: number;
}

export interface LogState {
  /** Bytes of write-ahead log that a restart would have to replay. */
  readonly sinceCheckpoint: number;
  /** Whether there are commits that were not written to disk (`durable: false`). */
  readonly unflushed: boolean;
}

/** Replaying this much takes about a second, a checkpoint of it about a tenth of a second. */
const checkpointBytes = 64 * 2 ** 20;
const checkpointEveryMs = 5 * 60_000;
const flushIdleMs = 250;
const checkpointIdleMs = 30_000;
/** A checkpoint and a flush write this much themselves. */
const restBytes = 8 * 2 ** 10;
/** A table below this is vacuumed in some tens of milliseconds. */
const smallBytes = 16 * 2 ** 20;
/** A table of fewer pages is read whole in a millisecond. */
const unseenPages = 100;
/** A table that has grown by this factor since its last analyze has plans for another table. */
const outgrown = 10;
const idleForSmallMs = 1000;
const idleForLargeMs = 15_000;
/**
 * Removing dead rows from a graph repairs most of its other elements, each of which loses a neighbour: minutes for 100,000
 * vectors, in which no request is answered. Until then searches skip the dead rows.
 */
const idleForGraphMs = 15 * 60_000;
/** PostgreSQL refuses to write two thousand million transactions after the oldest unfrozen one. */
const freezeAge = 150_000_000;

/** The task due for the write-ahead log after `idleMs` without a request and `sinceLastMs` after the last checkpoint. */
export function logTask(
  log: LogState,
  idleMs: number,
  sinceLastMs: number,
): 'checkpoint' | 'flush' | undefined {
  const due = sinceLastMs >= checkpointEveryMs || idleMs >= checkpointIdleMs;
  if (log.sinceCheckpoint >= checkpointBytes || (due && log.sinceCheckpoint > restBytes)) return 'checkpoint';
  return log.unflushed && idleMs >= flushIdleMs ? 'flush' : undefined;
}

/**
 * The most useful statement for the tables after `idleMs` without a foreground request, with the thresholds of PostgreSQL's
 * autovacuum. A table that the planner knows nothing about, as after a large import, is analyzed at once even if the database is
 * busy: that takes less time than a few statements with bad plans. A large table requires a longer idle time, because nothing else runs meanwhile, unless its dead rows outnumber the live
 * ones. A graph is cleared only if its dead rows outnumber the live ones, and only after a very long idle time.
 */
export function tableTask(tables: readonly TableState[], idleMs: number): TableTask | undefined {
  const unknown = tables.find(isUnknown);
  if (unknown) return analyze(unknown);
  const ready = tables.filter((table) => {
    const urgent = table.bytes <= smallBytes || newlyDead(table) > table.live;
    return idleMs >= (urgent ? idleForSmallMs : idleForLargeMs);
  });
  const old = ready.find(({ age }) => age > freezeAge);
  if (old) return vacuum(old, ['freeze', 'analyze']);
  const worst = ready.filter(wantsVacuum).sort((a, b) => newlyDead(b) - newlyDead(a))[0];
  if (worst) return vacuum(worst, ['analyze']);
  const changed = ready.find(({ live, modified }) => modified > 50 + 0.1 * live);
  if (changed) return analyze(changed);
  const dense = idleMs >= idleForGraphMs && tables.find(({ live, inGraph }) => inGraph > live);
  return dense ? { statement: `vacuum (analyze) ${dense.name}`, table: dense.name, inGraph: 0 } : undefined;
}

function vacuum({ name, hasGraph, dead }: TableState, options: readonly string[]): TableTask {
  const all = hasGraph ? [...options, 'index_cleanup off'] : options;
  return { statement: `vacuum (${all.join(', ')}) ${name}`, table: name, inGraph: hasGraph ? dead : 0 };
}

function analyze({ name, inGraph }: TableState): TableTask {
  return { statement: `analyze ${name}`, table: name, inGraph };
}

function isUnknown({ known, live, pages }: TableState): boolean {
  return known < 0 ? pages > unseenPages : live > 1000 + outgrown * known;
}

function wantsVacuum(table: TableState): boolean {
  const { live, inserted, pages, unseen } = table;
  return (
    newlyDead(table) > 50 + 0.2 * live || inserted > 1000 + 0.2 * live || unseen > unseenPages + 0.2 * pages
  );
}

function newlyDead({ dead, inGraph }: TableState): number {
  return dead - inGraph;
}
