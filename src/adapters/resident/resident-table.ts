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

/** Sorts before every other. */
const firstId = '00000000-0000-0000-0000-000000000000';

/** What is made of rows in memory. */
export interface Contents<Row extends KeptRow> {
  /** How many memories are in it. */
  readonly size: number;
  readonly bytes: number;
  /** Takes rows in, each in the place of the one that its memory had. */
  put(rows: readonly Row[]): void;
  /** Nothing happens where there is none. */
  remove(memoryId: string): void;
}

/** Of which rows something is kept in memory, and what. */
export interface Kind<Row extends KeptRow, Kept extends Contents<Row>> {
  /** Lower-case letters. */
  readonly name: string;
  readonly selection: Selection;
  readonly empty: () => Kept;
}

/** What is kept of the rows of a set, and how far it is. */
export class ResidentTable<Row extends KeptRow, Kept extends Contents<Row>> {
  readonly set: RowSet;
  readonly kept: Kept;
  readonly #kind: Kind<Row, Kept>;
  /** The last change that is in it. */
  #change: number;

  private constructor(kind: Kind<Row, Kept>, set: RowSet, change: number) {
    this.#kind = kind;
    this.set = set;
    this.kept = kind.empty();
    this.#change = change;
  }

  /** Reads all rows, of a table whose changes are noted. `signal` ends it. */
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
      // The database reads the next ones meanwhile.
      reading = isLast ? undefined : read(rows.at(-1)!.memory_id);
      reading?.catch(() => undefined);
      resident.kept.put(rows);
    }
    await resident.catchUp(executor);
    return resident;
  }

  /** Takes over everything that was committed before. `executor` has changed nothing itself, which might be undone. */
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
