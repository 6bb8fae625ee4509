import { hashBytes, leafHash, rootOf, type Hash, type ReadNode } from '../domain/tlog/merkle.ts';
import { nodesOf, tileWidth, treeHash } from '../domain/tlog/tiles.ts';
import { leafOf } from '../domain/tlog/leaf.ts';
import { migrate } from '../adapters/migrate.ts';
import { CheckpointMoved } from '../follow/processor.ts';
import type { EventLog, RecordedEvent } from '../ports/event-log.ts';
import type { Sql, SqlExecutor } from '../ports/sql.ts';

const schema = [
  `
create schema tlog;
create table tlog.tree (
  one boolean primary key default true check (one),
  size bigint not null default 0,
  position bigint not null default 0
);
insert into tlog.tree default values;
create table tlog.tiles (
  level integer not null,
  index bigint not null,
  first_position bigint not null,
  hashes bytea not null,
  primary key (level, index)
);
alter table tlog.tiles alter column hashes set storage external;
create index on tlog.tiles (first_position) where level = 0;
`,
];

/** How many leaves the tree has, and the position of the last of them in the log. */
export interface TreeState {
  readonly size: number;
  readonly position: number;
}

const pageSize = 2_000;

/**
 * The Merkle tree over the log: a leaf for each event, in the order of positions. Its tiles follow from the log, but are kept: the heads
 * that were signed must still be provable when somebody has changed the log.
 */
export class LogTree {
  readonly #sql: Sql;
  readonly #log: EventLog;

  private constructor(sql: Sql, log: EventLog) {
    this.#sql = sql;
    this.#log = log;
  }

  /** Opens the tree of this log and creates its tables at first use. */
  static async open(sql: Sql, log: EventLog): Promise<LogTree> {
    await migrate(sql, 'tlog', schema);
    return new LogTree(sql, log);
  }

  async state(executor: SqlExecutor = this.#sql): Promise<TreeState> {
    const [row] = await executor.query<TreeState & Record<string, unknown>>(
      'select size, position from tlog.tree',
    );
    return { size: row!.size, position: row!.position };
  }

  /** Adds leaves for all events that the log has. Throws `CheckpointMoved` if another process does, too. */
  async grow(signal: AbortSignal): Promise<TreeState> {
    let state = await this.state();
    while (!signal.aborted) {
      const page = await this.#log.readAll({ after: state.position, limit: pageSize });
      if (page.events.length === 0) break;
      state = await this.#append(state, page.events);
    }
    return state;
  }

  #append(before: TreeState, events: readonly RecordedEvent[]): Promise<TreeState> {
    const after = { size: before.size + events.length, position: events.at(-1)!.position };
    const leaves = events.map((event) => ({ hash: leafHash(leafOf(event)), position: event.position }));
    return this.#sql.transaction(async (tx) => {
      const moved = await tx.query(
        'update tlog.tree set size = $1, position = $2 where size = $3 and position = $4 returning size',
        [after.size, after.position, before.size, before.position],
      );
      if (moved.length === 0) throw new CheckpointMoved('another process adds to the tree');
      await addToLevel(tx, 0, before.size, leaves);
      return after;
    });
  }

  /** Forgets leaves of events that the log no longer has. They are added again by `grow`, as far as it has them. */
  async reset(): Promise<void> {
    await this.#sql.transaction(async (tx) => {
      await tx.query('update tlog.tree set size = 0, position = 0');
      await tx.query('truncate tlog.tiles');
    });
  }

  /** Nodes of the tree. One that it does not have yet rejects with a `RangeError`. */
  nodes(): ReadNode {
    return nodesOf((level, index) => this.tile(level, index));
  }

  root(size: number): Promise<Hash> {
    return rootOf(size, this.nodes());
  }

  /** The hashes that a tile has so far; empty if there is none. */
  async tile(level: number, index: number): Promise<Buffer> {
    const [row] = await this.#sql.query<{ hashes: Uint8Array }>(
      'select hashes from tlog.tiles where level = $1 and index = $2',
      [level, index],
    );
    return row ? Buffer.from(row.hashes) : Buffer.alloc(0);
  }

  /** The events of the leaves of a tile, at most `width`. */
  async events(index: number, width = tileWidth): Promise<readonly RecordedEvent[]> {
    const [row] = await this.#sql.query<{ first_position: number }>(
      'select first_position from tlog.tiles where level = 0 and index = $1',
      [index],
    );
    return row ? this.#read(row.first_position, width) : [];
  }

  /** The event at a position and the index of its leaf; undefined if there is none, or the tree does not have it yet. */
  async find(
    position: number,
  ): Promise<{ readonly event: RecordedEvent; readonly index: number } | undefined> {
    const [row] = await this.#sql.query<{ index: number; first_position: number; width: number }>(
      `select index, first_position, octet_length(hashes) / ${hashBytes} as width from tlog.tiles
       where level = 0 and first_position <= $1 order by first_position desc limit 1`,
      [position],
    );
    if (!row) return undefined;
    const events = await this.#read(row.first_position, row.width);
    const at = events.findIndex((event) => event.position === position);
    return at < 0 ? undefined : { event: events[at]!, index: row.index * tileWidth + at };
  }

  async #read(from: number, count: number): Promise<readonly RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    let after = from - 1;
    while (events.length < count) {
      const page = await this.#log.readAll({ after, limit: count - events.length });
      if (page.events.length === 0) break;
      events.push(...page.events);
      after = page.scannedTo;
    }
    return events;
  }
}

interface NewHash {
  readonly hash: Hash;
  /** Position of the first event below it. */
  readonly position: number;
}

/** Appends hashes to a level that has `size` of them, and to the levels above for each tile that becomes full. */
async function addToLevel(
  tx: SqlExecutor,
  level: number,
  size: number,
  added: readonly NewHash[],
): Promise<void> {
  const full: NewHash[] = [];
  for (let done = 0; done < added.length;) {
    const index = Math.floor((size + done) / tileWidth);
    const part = added.slice(done, done + tileWidth - ((size + done) % tileWidth));
    const [row] = await tx.query<{ first_position: number; hashes: Uint8Array }>(
      `insert into tlog.tiles as t (level, index, first_position, hashes) values ($1, $2, $3, $4)
       on conflict (level, index) do update set hashes = t.hashes || excluded.hashes returning first_position, hashes`,
      [level, index, part[0]!.position, Buffer.concat(part.map(({ hash }) => hash))],
    );
    const hashes = Buffer.from(row!.hashes);
    if (hashes.length === tileWidth * hashBytes)
      full.push({ hash: treeHash(hashes), position: row!.first_position });
    done += part.length;
  }
  if (full.length > 0) await addToLevel(tx, level + 1, Math.floor(size / tileWidth), full);
}
