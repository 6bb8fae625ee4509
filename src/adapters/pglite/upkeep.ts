/** What PostgreSQL's own statistics say of one table, its indexes included in `bytes`. They begin anew at each start. */
export interface TableState {
  /** Quoted and qualified. */
  readonly name: string;
  readonly live: number;
  readonly dead: number;
  /** Rows inserted since the last vacuum. */
  readonly inserted: number;
  /** Rows changed since the last analyze. */
  readonly modified: number;
  /** Transactions since the oldest one that may still have to be looked up for this table. */
  readonly age: number;
  readonly bytes: number;
  readonly pages: number;
  /** Pages that no vacuum has seen, as far as the catalog tells; 0 once there was one since the start. */
  readonly unseen: number;
  /** Whether it has an HNSW index. */
  readonly hasGraph: boolean;
  /** Dead rows that a vacuum has dealt with but for the graph, where they still stand. */
  readonly inGraph: number;
}

/** A statement for one table. */
export interface TableTask {
  readonly statement: string;
  readonly table: string;
  /** Of its dead rows, those that stand in its graph alone from then on. */
  readonly inGraph: number;
}

export interface LogState {
  /** Bytes of write-ahead log that a restart would have to replay. */
  readonly sinceCheckpoint: number;
  /** Whether commits wait in memory only (`durable: false`). */
  readonly unflushed: boolean;
}

/** Replaying this much takes about a second, and writing it out about a tenth of one. */
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
const idleForSmallMs = 1000;
const idleForLargeMs = 15_000;
/**
 * To take dead rows out of a graph repairs most of what is left of it, whose elements each lose a neighbour: minutes for
 * 100,000 vectors, in which nothing is answered. Until then a search passes them by.
 */
const idleForGraphMs = 15 * 60_000;
/** PostgreSQL refuses to write two thousand million transactions after the oldest unfrozen one. */
const freezeAge = 150_000_000;

/** What the write-ahead log needs after `idleMs` without a request, `sinceLastMs` after the last checkpoint. */
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
 * The one statement that does most for the tables after `idleMs` without a request that somebody waits for, with the
 * thresholds of PostgreSQL's autovacuum. A large table waits for a longer pause, since nothing else runs meanwhile, unless
 * its dead rows outnumber the live ones. A graph is cleared of them only then, in a very long one.
 */
export function tableTask(tables: readonly TableState[], idleMs: number): TableTask | undefined {
  const ready = tables.filter((table) => {
    const urgent = table.bytes <= smallBytes || newlyDead(table) > table.live;
    return idleMs >= (urgent ? idleForSmallMs : idleForLargeMs);
  });
  const old = ready.find(({ age }) => age > freezeAge);
  if (old) return vacuum(old, ['freeze', 'analyze']);
  const worst = ready.filter(wantsVacuum).sort((a, b) => newlyDead(b) - newlyDead(a))[0];
  if (worst) return vacuum(worst, ['analyze']);
  const changed = ready.find(({ live, modified }) => modified > 50 + 0.1 * live);
  if (changed) return { statement: `analyze ${changed.name}`, table: changed.name, inGraph: changed.inGraph };
  const dense = idleMs >= idleForGraphMs && tables.find(({ live, inGraph }) => inGraph > live);
  return dense ? { statement: `vacuum (analyze) ${dense.name}`, table: dense.name, inGraph: 0 } : undefined;
}

function vacuum({ name, hasGraph, dead }: TableState, options: readonly string[]): TableTask {
  const all = hasGraph ? [...options, 'index_cleanup off'] : options;
  return { statement: `vacuum (${all.join(', ')}) ${name}`, table: name, inGraph: hasGraph ? dead : 0 };
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
