import { variantOf } from '../../read-models/generation-variant.ts';
import { vectorTable } from '../../read-models/vectors/tables.ts';
import type { Sql, SqlExecutor } from '../../ports/sql.ts';
import type { VectorIndex, Vectors, VectorSet } from '../../ports/vector-index.ts';
import { Keeper, type SizedSet } from '../resident/keeper.ts';
import { ResidentVectors, sizeOf, sizesIn, vectorSelection, type VectorRow } from './resident-vectors.ts';
import { bytesOfVector } from './segment.ts';

/** A search waits for vectors that are being loaded, but not for ever. */
const longestWaitMs = 3_000;

export interface FlatIndexOptions {
  /** Tenants with more memories are loaded at the start, others when they are wanted. */
  readonly loadAbove: number;
  /** Of memory in all: who was not asked for the longest time makes room. */
  readonly mostBytes: number;
  /** Until it resolves nothing is loaded: what searches cannot do without goes first. */
  readonly after?: Promise<void> | undefined;
  /** What keeps vectors from being loaded or followed; the database compares meanwhile. */
  readonly onError: (error: unknown) => void;
}

/** Keeps the vectors of large tenants in memory, where a query is compared with all of them. */
export class FlatIndex implements VectorIndex {
  readonly #keeper: Keeper<VectorRow, ResidentVectors>;

  constructor(sql: Sql, { loadAbove, ...options }: FlatIndexOptions) {
    const kind = { name: 'vectors', selection: vectorSelection, empty: () => new ResidentVectors() };
    this.#keeper = new Keeper(sql, kind, {
      ...options,
      keepsLarger: false,
      bytesOf: async (executor, set) => bytesOf(await sizeOf(executor, set)),
      first: (executor) => largeSets(executor, loadAbove),
    });
  }

  /** How many vectors are in memory. */
  get size(): number {
    return this.#keeper.size;
  }

  /** What they take. */
  get bytes(): number {
    return this.#keeper.bytes;
  }

  /** Loads what is large, and follows the changes, in the background. */
  start(): Promise<void> {
    return this.#keeper.start();
  }

  has(set: VectorSet): Promise<boolean> {
    return this.#keeper.has(set, longestWaitMs);
  }

  want(set: VectorSet): void {
    this.#keeper.want(set);
  }

  vectors(executor: SqlExecutor, set: VectorSet): Promise<Vectors | undefined> {
    return this.#keeper.current(executor, set);
  }

  close(): Promise<void> {
    return this.#keeper.close();
  }
}

/** Of the models that queries read. */
async function largeSets(executor: SqlExecutor, above: number): Promise<SizedSet[]> {
  const live = await executor.query<{ signature: string }>(
    `select g.signature from read.active a join read.generations g using (name, generation) where a.name = 'vectors'`,
  );
  const sets: SizedSet[] = [];
  for (const table of live.map(({ signature }) => vectorTable(variantOf(signature))))
    for (const { tenant, ...size } of await sizesIn(executor, table, above))
      sets.push({ set: { table, tenant }, bytes: bytesOf(size) });
  return sets;
}

function bytesOf({ count, dimension }: { readonly count: number; readonly dimension: number }): number {
  return count * bytesOfVector(dimension);
}
