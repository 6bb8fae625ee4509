import { variantOf } from '../../read-models/generation-variant.ts';
import {
  hasPassageVectors,
  isPassageVectorTable,
  passageVectorTable,
  vectorTable,
} from '../../read-models/vectors/tables.ts';
import type { Sql, SqlExecutor } from '../../ports/sql.ts';
import type { Surface } from '../../ports/surface.ts';
import type { PassageVectors, VectorIndex, Vectors, VectorSet } from '../../ports/vector-index.ts';
import { TenantRowCache, type SizedSet } from '../resident/tenant-row-cache.ts';
import { passageSelection, ResidentPassages, type PassageRow } from './resident-passages.ts';
import { ResidentVectors, sizeOf, sizesIn, vectorSelection, type VectorRow } from './resident-vectors.ts';
import { bytesOfVector } from './segment.ts';

/** How long a search waits for vectors that are being loaded. */
const longestWaitMs = 3_000;

export interface FlatIndexOptions {
  /** Tenants with more memories, or more passages, are loaded at startup, others on request. */
  readonly loadAbove: number;
  /** Limit for the memories of all tenants together, and the same again for their passages: the tenant that was not searched for the longest time is evicted first. */
  readonly mostBytes: number;
  /** Loading begins when this resolves: what searches need more urgently is loaded first. */
  readonly after?: Promise<void> | undefined;
  /** Called when vectors cannot be loaded or kept current; the database compares them meanwhile. */
  readonly onError: (error: unknown) => void;
}

/** Keeps the vectors of large tenants in RAM, where a query is compared with all of them. */
export class FlatIndex implements VectorIndex {
  readonly #memories: TenantRowCache<VectorRow, ResidentVectors>;
  readonly #passages: TenantRowCache<PassageRow, ResidentPassages>;

  constructor(sql: Sql, { loadAbove, ...options }: FlatIndexOptions) {
    const common = {
      ...options,
      keepsLarger: false,
      bytesOf: async (executor: SqlExecutor, set: VectorSet) => bytesOf(await sizeOf(executor, set)),
    };
    const memories = { name: 'vectors', selection: vectorSelection, empty: () => new ResidentVectors() };
    this.#memories = new TenantRowCache(sql, memories, {
      ...common,
      first: (executor) => largeSets(executor, (signature) => vectorTable(variantOf(signature)), loadAbove),
    });
    const passages = { name: 'passages', selection: passageSelection, empty: () => new ResidentPassages() };
    this.#passages = new TenantRowCache(sql, passages, {
      ...common,
      first: (executor) => largeSets(executor, passageTable, loadAbove),
    });
  }

  /** Number of memories whose vectors are in RAM. */
  get size(): number {
    return this.#memories.size;
  }

  get bytes(): number {
    return this.#memories.bytes + this.#passages.bytes;
  }

  get surfaces(): readonly Surface[] {
    return [
      this.#memories.surface('vectors in memory'),
      this.#passages.surface('vectors of passages in memory'),
    ];
  }

  /** Starts to load large tenants and to apply changes, in the background. */
  async start(): Promise<void> {
    await Promise.all([this.#memories.start(), this.#passages.start()]);
  }

  has(set: VectorSet): Promise<boolean> {
    return this.#cacheOf(set).has(set, longestWaitMs);
  }

  want(set: VectorSet): void {
    this.#cacheOf(set).want(set);
  }

  vectors(executor: SqlExecutor, set: VectorSet): Promise<Vectors | undefined> {
    return this.#memories.current(executor, set);
  }

  passages(executor: SqlExecutor, set: VectorSet): Promise<PassageVectors | undefined> {
    return this.#passages.current(executor, set);
  }

  async close(): Promise<void> {
    await Promise.all([this.#memories.close(), this.#passages.close()]);
  }

  #cacheOf({ table }: VectorSet) {
    return isPassageVectorTable(table) ? this.#passages : this.#memories;
  }
}

/** The tenants with more than `above` vectors in the tables of the models that queries read. */
async function largeSets(
  executor: SqlExecutor,
  tableOf: (signature: string) => string | undefined,
  above: number,
): Promise<SizedSet[]> {
  const live = await executor.query<{ signature: string }>(
    `select g.signature from read.active a join read.generations g using (name, generation) where a.name = 'vectors'`,
  );
  const sets: SizedSet[] = [];
  for (const table of live.flatMap(({ signature }) => tableOf(signature) ?? []))
    for (const { tenant, ...size } of await sizesIn(executor, table, above))
      sets.push({ set: { table, tenant }, bytes: bytesOf(size) });
  return sets;
}

/** The table of the passages' vectors; undefined for a generation that an earlier version built without passages. */
function passageTable(signature: string): string | undefined {
  return hasPassageVectors(signature) ? passageVectorTable(variantOf(signature)) : undefined;
}

function bytesOf({ count, dimension }: { readonly count: number; readonly dimension: number }): number {
  return count * bytesOfVector(dimension);
}
