import { variantOf } from '../../read-models/generation-variant.ts';
import { vectorTable } from '../../read-models/vectors/tables.ts';
import type { Sql, SqlExecutor } from '../../ports/sql.ts';
import type { VectorIndex, Vectors, VectorSet } from '../../ports/vector-index.ts';
import { TenantRowCache, type SizedSet } from '../resident/tenant-row-cache.ts';
import { ResidentVectors, sizeOf, sizesIn, vectorSelection, type VectorRow } from './resident-vectors.ts';
import { bytesOfVector } from './segment.ts';

/** How long a search waits for vectors that are being loaded. */
const longestWaitMs = 3_000;

export interface FlatIndexOptions {
  /** Tenants with more memories are loaded at startup, others on request. */
  readonly loadAbove: number;
  /** Limit for all tenants together: the tenant that was not searched for the longest time is evicted first. */
  readonly mostBytes: number;
  /** Nothing is loaded before it resolves: what searches need more urgently is loaded first. */
  readonly after?: Promise<void> | undefined;
  /** Called when vectors cannot be loaded or kept current; the database compares them meanwhile. */
  readonly onError: (error: unknown) => void;
}

/** Keeps the vectors of large tenants in RAM, where a query is compared with all of them. */
export class FlatIndex implements VectorIndex {
  readonly #cache: TenantRowCache<VectorRow, ResidentVectors>;

  constructor(sql: Sql, { loadAbove, ...options }: FlatIndexOptions) {
    const kind = { name: 'vectors', selection: vectorSelection, empty: () => new ResidentVectors() };
    this.#cache = new TenantRowCache(sql, kind, {
      ...options,
      keepsLarger: false,
      bytesOf: async (executor, set) => bytesOf(await sizeOf(executor, set)),
      first: (executor) => largeSets(executor, loadAbove),
    });
  }

  /** Number of vectors in RAM. */
  get size(): number {
    return this.#cache.size;
  }

  get bytes(): number {
    return this.#cache.bytes;
  }

  /** Starts to load large tenants and to apply changes, in the background. */
  start(): Promise<void> {
    return this.#cache.start();
  }

  has(set: VectorSet): Promise<boolean> {
    return this.#cache.has(set, longestWaitMs);
  }

  want(set: VectorSet): void {
    this.#cache.want(set);
  }

  vectors(executor: SqlExecutor, set: VectorSet): Promise<Vectors | undefined> {
    return this.#cache.current(executor, set);
  }

  close(): Promise<void> {
    return this.#cache.close();
  }
}

/** The tenants with more than `above` memories, by the models that queries read. */
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
