import type { SqlExecutor } from '../../ports/sql.ts';
import type { Near, UnitVector, VectorSet } from '../../ports/vector-index.ts';
import { lastChange, readChanges, readVectors, type VectorPage, type Vectors } from './changes.ts';
import { bytesOfVector, centreOf, Segment } from './segment.ts';

/** Sorts before every other. */
const firstId = '00000000-0000-0000-0000-000000000000';

/** The vectors of a set in memory, and how far they are. */
export class ResidentSet {
  readonly set: VectorSet;
  /** The last change that is in it. */
  #change: number;
  /** There with the first vector. */
  #segment: Segment | undefined;
  #bytesOfVector = 0;

  private constructor(set: VectorSet, change: number) {
    this.set = set;
    this.#change = change;
  }

  /** Reads all vectors, of a table whose changes are noted. `signal` ends it. */
  static async load(executor: SqlExecutor, set: VectorSet, signal: AbortSignal): Promise<ResidentSet> {
    const resident = new ResidentSet(set, await lastChange(executor));
    let reading: Promise<VectorPage> | undefined = readVectors(executor, set, firstId);
    while (reading) {
      const page: VectorPage = await reading;
      signal.throwIfAborted();
      // The database reads the next ones meanwhile.
      reading = page.isLast ? undefined : readVectors(executor, set, page.ids.at(-1)!);
      resident.#put(page);
    }
    await resident.catchUp(executor);
    return resident;
  }

  /** Takes over everything that was committed before. `executor` has changed nothing itself, which might be undone. */
  async catchUp(executor: SqlExecutor): Promise<void> {
    for (let isLast = false; !isLast;) {
      const changes = await readChanges(executor, this.set, this.#change);
      this.#put(changes.put);
      for (const id of changes.removed) this.#segment?.remove(id);
      this.#change = Math.max(this.#change, changes.last ?? 0);
      ({ isLast } = changes);
    }
  }

  /** How many vectors there are. */
  get size(): number {
    return this.#segment?.size ?? 0;
  }

  get bytes(): number {
    return this.size * this.#bytesOfVector;
  }

  nearest(vector: UnitVector, limit: number): readonly Near[] {
    return this.#segment?.nearest(vector, limit) ?? [];
  }

  /** Null where a memory has no vector. */
  cosines(vector: UnitVector, ids: readonly string[]): readonly (number | null)[] {
    return this.#segment?.cosines(vector, ids) ?? ids.map(() => null);
  }

  #put({ ids, numbers }: Vectors): void {
    if (ids.length === 0) return;
    const dimension = numbers.length / ids.length;
    this.#segment ??= new Segment(centreOf(numbers, dimension));
    this.#bytesOfVector = bytesOfVector(dimension);
    for (const [at, id] of ids.entries())
      this.#segment.put(id, numbers.subarray(at * dimension, (at + 1) * dimension));
  }
}
