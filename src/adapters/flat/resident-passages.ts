import type { Near, NearPassage, PassageVectors, UnitVector } from '../../ports/vector-index.ts';
import type { KeptRow, Selection } from '../resident/changes.ts';
import type { Contents } from '../resident/resident-table.ts';
import { numbersOf } from './resident-vectors.ts';
import { bytesOfVector, Segment } from './segment.ts';

export interface PassageRow extends KeptRow {
  /** Numbers of the passages that have a vector. */
  readonly passages: readonly number[];
  /** Their vectors, one after the other, four bytes a number, most significant byte first. */
  readonly numbers: Uint8Array;
}

export const passageSelection: Selection = {
  // The binary form of pgvector, without its header.
  columns: `array_agg(k.n order by k.n) as passages,
    string_agg(substring(vector_send(k.embedding) from 5), ''::bytea order by k.n) as numbers`,
  condition: 'k.embedding is not null',
  isGrouped: true,
  // Few, since a memory may have a thousand passages.
  pageSize: 20,
};

/** The vectors of the passages of one tenant's memories by one model. */
export class ResidentPassages implements Contents<PassageRow>, PassageVectors {
  /** Created with the first vector, which determines the dimension. */
  #segment: Segment | undefined;
  #bytesOfVector = 0;
  /** Numbers of passages by memory. */
  readonly #passages = new Map<string, readonly number[]>();

  get size(): number {
    return this.#passages.size;
  }

  get bytes(): number {
    return (this.#segment?.size ?? 0) * this.#bytesOfVector;
  }

  put(rows: readonly PassageRow[]): void {
    for (const { memory_id: id, passages, numbers } of rows) {
      this.remove(id);
      const vectors = numbersOf(numbers);
      const dimension = vectors.length / passages.length;
      this.#segment ??= new Segment(dimension);
      this.#bytesOfVector = bytesOfVector(dimension);
      for (const [at, passage] of passages.entries())
        this.#segment.put(idOf(id, passage), vectors.subarray(at * dimension, (at + 1) * dimension));
      this.#passages.set(id, passages);
    }
  }

  has(id: string): boolean {
    return this.#passages.has(id);
  }

  remove(id: string): void {
    for (const passage of this.#passages.get(id) ?? []) this.#segment?.remove(idOf(id, passage));
    this.#passages.delete(id);
  }

  nearest(vector: UnitVector, limit: number, among?: readonly string[]): readonly Near[] {
    return among ? this.#nearestAmong(vector, among, limit) : this.#nearestOfAll(vector, limit);
  }

  cosines(vector: UnitVector, ids: readonly string[]): readonly (number | null)[] {
    return this.nearestPassages(vector, ids).map((near) => near?.cosine ?? null);
  }

  nearestPassages(vector: UnitVector, ids: readonly string[]): readonly (NearPassage | null)[] {
    const passages = ids.map((id) => this.#passages.get(id) ?? []);
    const keys = ids.flatMap((id, at) => passages[at]!.map((passage) => idOf(id, passage)));
    const cosines = (this.#segment?.cosines(vector, keys) ?? []).values();
    return passages.map((numbers) => {
      let best: NearPassage | null = null;
      for (const passage of numbers) {
        const cosine = cosines.next().value ?? -1;
        if (!best || cosine > best.cosine) best = { passage, cosine };
      }
      return best;
    });
  }

  /** Asks for more passages until they belong to enough memories. */
  #nearestOfAll(vector: UnitVector, limit: number): readonly Near[] {
    if (!this.#segment) return [];
    for (let asked = 2 * limit; ; asked *= 4) {
      const near = this.#segment.nearest(vector, asked);
      const nearest = new Map<string, Near>();
      for (const { id, cosine } of near) {
        const memory = memoryOf(id);
        if (!nearest.has(memory)) nearest.set(memory, { id: memory, cosine });
      }
      if (nearest.size >= limit || near.length < asked) return [...nearest.values()].slice(0, limit);
    }
  }

  #nearestAmong(vector: UnitVector, ids: readonly string[], limit: number): readonly Near[] {
    const cosines = this.cosines(vector, ids);
    return ids
      .flatMap((id, at) => (cosines[at] == null ? [] : [{ id, cosine: cosines[at] }]))
      .sort((left, right) => right.cosine - left.cosine)
      .slice(0, limit);
  }
}

function idOf(memoryId: string, passage: number): string {
  return `${memoryId}/${passage}`;
}

function memoryOf(id: string): string {
  return id.slice(0, id.indexOf('/'));
}
