import type { SqlExecutor } from '../../ports/sql.ts';
import {
  lastChange,
  readChanges,
  readRows,
  type KeptRow,
  type Page,
  type RowSet,
  type Selection,
} from './changes.ts';

/** An id that sorts before all others. */
const firstId = '00000000-0000-0000-0000-000000000000';

/** What rows are turned into in RAM. */
export interface Contents<Row extends KeptRow> {
  /** Number of memories. */
  readonly size: number;
  readonly bytes: number;
  has(memoryId: string): boolean;
  /** Adds rows, each replacing the former one of its memory. */
  put(rows: readonly Row[]): void;
  /** Removes the row of a memory, if there is one. */
  remove(memoryId: string): void;
}

/** A kind of rows that are cached, and what they are turned into. */
export interface Kind<Row extends KeptRow, Kept extends Contents<Row>> {
  /** Lower-case letters. */
  readonly name: string;
  readonly selection: Selection;
  readonly empty: () => Kept;
}

/** The cached rows of a set, and up to which change they are current. */
export class ResidentTable<Row extends KeptRow, Kept extends Contents<Row>> {
  readonly set: RowSet;
  readonly kept: Kept;
  readonly #kind: Kind<Row, Kept>;
  /** Number of the last change that was applied. */
  #change: number;

  private constructor(kind: Kind<Row, Kept>, set: RowSet, change: number) {
    this.#kind = kind;
    this.set = set;
    this.kept = kind.empty();
    this.#change = change;
  }

  /** Reads all rows of a table whose changes are recorded. `signal` stops it. */
  static async load<Row extends KeptRow, Kept extends Contents<Row>>(
    executor: SqlExecutor,
    kind: Kind<Row, Kept>,
    set: RowSet,
    signal: AbortSignal,
  ): Promise<ResidentTable<Row, Kept>> {
    const { name, selection } = kind;
    const resident = new ResidentTable(kind, set, await lastChange(executor, name));
    const read = (after: string): Promise<Page<Row>> => readRows(executor, set, selection, after);
    for (let reading: Promise<Page<Row>> | undefined = read(firstId); reading;) {
      const { rows, isLast }: Page<Row> = await reading;
      signal.throwIfAborted();
      // The database reads the next page while this one is added.
      reading = isLast ? undefined : read(rows.at(-1)!.memory_id);
      reading?.catch(() => undefined);
      resident.kept.put(rows);
    }
    await resident.catchUp(executor);
    return resident;
  }

  /** Applies all changes that were committed before. `executor` must not have written anything: that might be rolled back. */
  async catchUp(executor: SqlExecutor): Promise<void> {
    for (let isLast = false; !isLast;) {
      const changes = await readChanges<Row>(executor, this.set, this.#kind.selection, this.#change);
      this.kept.put(changes.rows);
      for (const id of changes.removed) this.kept.remove(id);
      this.#change = Math.max(this.#change, changes.last ?? 0);
      ({ isLast } = changes);
    }
  }
}
