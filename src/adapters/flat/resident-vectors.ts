import type { SqlExecutor } from '../../ports/sql.ts';
import type { Near, UnitVector, Vectors, VectorSet } from '../../ports/vector-index.ts';
import type { KeptRow, Selection } from '../resident/changes.ts';
import type { Contents } from '../resident/resident-table.ts';
import { bytesOfVector, Segment } from './segment.ts';

export interface VectorRow extends KeptRow {
  /** Four bytes a number, most significant byte first. */
  readonly numbers: Uint8Array;
}

export const vectorSelection: Selection = {
  // The binary form of pgvector, without its header.
  columns: 'substring(vector_send(k.embedding) from 5) as numbers',
  condition: 'k.embedding is not null',
  pageSize: 500,
};

/** The vectors of one tenant by one model. */
export class ResidentVectors implements Contents<VectorRow>, Vectors {
  /** Created with the first vector, which determines the dimension. */
  #segment: Segment | undefined;
  #bytesOfVector = 0;

  get size(): number {
    return this.#segment?.size ?? 0;
  }

  get bytes(): number {
    return this.size * this.#bytesOfVector;
  }

  put(rows: readonly VectorRow[]): void {
    if (rows.length === 0) return;
    const numbers = joined(rows);
    const dimension = numbers.length / rows.length;
    this.#segment ??= new Segment(dimension);
    this.#bytesOfVector = bytesOfVector(dimension);
    for (const [at, { memory_id }] of rows.entries())
      this.#segment.put(memory_id, numbers.subarray(at * dimension, (at + 1) * dimension));
  }

  has(id: string): boolean {
    return this.#segment?.has(id) ?? false;
  }

  remove(id: string): void {
    this.#segment?.remove(id);
  }

  nearest(vector: UnitVector, limit: number, among?: readonly string[]): readonly Near[] {
    return among ? this.#nearestAmong(vector, among, limit) : (this.#segment?.nearest(vector, limit) ?? []);
  }

  cosines(vector: UnitVector, ids: readonly string[]): readonly (number | null)[] {
    return this.#segment?.cosines(vector, ids) ?? ids.map(() => null);
  }

  #nearestAmong(vector: UnitVector, ids: readonly string[], limit: number): readonly Near[] {
    const cosines = this.cosines(vector, ids);
    return ids
      .flatMap((id, at) => (cosines[at] == null ? [] : [{ id, cosine: cosines[at] }]))
      .sort((left, right) => right.cosine - left.cosine)
      .slice(0, limit);
  }
}

/** The numbers of all rows, one row after the other. */
function joined(rows: readonly VectorRow[]): Float32Array {
  const size = rows[0]!.numbers.length;
  const bytes = Buffer.from(new ArrayBuffer(rows.length * size));
  rows.forEach((row, at) => bytes.set(row.numbers, at * size));
  bytes.swap32();
  return new Float32Array(bytes.buffer);
}

/** The numbers of a row. */
export function numbersOf(numbers: Uint8Array): Float32Array {
  return joined([{ memory_id: '', numbers }]);
}

/** Number of vectors of a set, and their dimension; 0 if there is none. */
export interface SetSize {
  readonly count: number;
  readonly dimension: number;
}

export async function sizeOf(executor: SqlExecutor, { table, tenant }: VectorSet): Promise<SetSize> {
  const [row] = await executor.query<SetSize>(
    `select count(*) as count, ${dimensionIn(table)} as dimension from ${table} where tenant = $1`,
    [tenant],
  );
  return row!;
}

/** The size of each tenant with more than `above` vectors in a table, largest first. */
export function sizesIn(
  executor: SqlExecutor,
  table: string,
  above: number,
): Promise<(SetSize & { readonly tenant: string })[]> {
  return executor.query(
    `select tenant, count(*) as count, ${dimensionIn(table)} as dimension from ${table}
     group by tenant having count(*) > $1 order by count(*) desc`,
    [above],
  );
}

/** SQL for the dimension of a table's vectors, which are of one model. */
function dimensionIn(table: string): string {
  return `coalesce((select vector_dims(embedding) from ${table} where embedding is not null limit 1), 0)`;
}
