import { exactScanLimit } from '../../domain/retrieval/exact-scan-limit.ts';
import { supersededVectorTable, vectorTable } from '../../read-models/vectors/tables.ts';
import type { EmbeddingModel } from '../../ports/embedder.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import type { EarlyWrites } from '../../follow/handler.ts';
import { memoryKeys, Recordset } from '../../read-models/recordset.ts';
import { Table } from '../../read-models/table.ts';
import { scopeColumns } from '../scope-columns.ts';
import { TenantSizes } from './tenant-sizes.ts';
import { vectorRows, type VectorRow } from './vector-rows.ts';
import { addToIndex, createIfMissing, vectorArray } from './vector-sql.ts';

/** New vectors by the hash of their text. */
type Made = ReadonlyMap<string, Float32Array>;

/**
 * Number of rows in one transaction, with several connections (`largestSlice`) and with one. An insertion into the index may take 8
 * ms, and with one connection everything waits for it.
 */
const largestSlice = 32;
const largestSliceAlone = 8;

/** Without the vectors and `in_graph`. Each model has its own table, by the name of `vectorTable`. */
const keptRows = new Table('kept_vectors', {
  columns: {
    tenant: 'text',
    memory_id: 'uuid',
    revision: 'integer',
    ...scopeColumns,
    text_hash: 'text',
  },
  key: ['tenant', 'memory_id'],
});
const supersededRows = new Table('superseded_vectors', {
  columns: { tenant: 'text', memory_id: 'uuid', text_hash: 'text' },
  key: ['tenant', 'memory_id', 'text_hash'],
});
const lookups = new Recordset({ tenant: 'text', memory_id: 'uuid', revision: 'integer', n: 'integer' });
const inserted = new Recordset({ ...keptRows.columns, in_graph: 'boolean' });
const updated = vectorRows.pick('tenant', 'memory_id', 'revision', 'text_hash', 'active');

export function keptTable(model: EmbeddingModel): string {
  return vectorTable(model.id);
}

/**
 * The vectors of one model, one for each memory. The revision of the memory guards each row: an older event never replaces a newer one. The
 * vector of a deleted memory is kept in `shelved`, outside of the index. The vector of a replaced text moves to a second table without an
 * index, for searches as of a position.
 *
 * An insertion into the HNSW index costs thirty times as much as the row. Searches of small tenants compare all vectors and do not need the
 * index, so their vectors are left out of it (`in_graph` is false). Once a tenant exceeds the limit, new vectors go into the index, and each
 * of them adds one of the vectors that were left out.
 *
 * The type is `vector` and not `halfvec`, which is five times slower in WebAssembly; both profiles use the same SQL.
 */
export class KeptVectors {
  readonly #model: EmbeddingModel;
  readonly #table: string;
  readonly #superseded: string;
  readonly #sizes: TenantSizes;

  /** The vectors of a tenant go into the index once it has more than `maxOutsideIndex`. */
  constructor(model: EmbeddingModel, maxOutsideIndex = exactScanLimit) {
    this.#model = model;
    this.#table = keptTable(model);
    this.#superseded = supersededVectorTable(model.id);
    this.#sizes = new TenantSizes(this.#table, maxOutsideIndex);
  }

  /** Runs for each generation; the tables are created for the first one. */
  create(): readonly string[] {
    const name = this.#table.replace('read.', '');
    const type = `vector(${this.#model.dimension})`;
    return [
      createIfMissing(
        this.#table,
        ...keptRows.create(
          () => this.#table,
          `embedding ${type}`,
          `shelved ${type}`,
          'in_graph boolean not null default true',
        ),
        `create index ${name}_hnsw on ${this.#table} using hnsw (embedding vector_cosine_ops) with (m = 16, ef_construction = 64) where in_graph`,
        `create index ${name}_apart on ${this.#table} (tenant, memory_id) where not in_graph`,
      ),
      createIfMissing(
        this.#superseded,
        ...supersededRows.create(() => this.#superseded, `embedding ${type} not null`),
      ),
    ];
  }

  /** The texts that need a vector: there is none of this revision or a newer one. */
  async missing<Text extends { tenant: string; memory_id: string; revision: number }>(
    executor: SqlExecutor,
    texts: readonly Text[],
  ): Promise<readonly Text[]> {
    if (texts.length === 0) return texts;
    const rows = await executor.query<{ n: number }>(
      `select wanted.n from ${lookups.as('wanted')}
       join ${this.#table} k using (tenant, memory_id)
       where k.revision >= wanted.revision and coalesce(k.embedding, k.shelved) is not null`,
      lookups.bind(texts.map(({ tenant, memory_id, revision }, n) => ({ tenant, memory_id, revision, n }))),
    );
    const present = new Set(rows.map(({ n }) => n));
    return texts.filter((_, index) => !present.has(index));
  }

  /** Inserts new vectors of memories that have none yet. Returns the rows that went into the index. */
  async insert(tx: SqlExecutor, rows: readonly VectorRow[], made: Made): Promise<readonly VectorRow[]> {
    const present = rows.filter(({ text_hash }) => made.has(text_hash));
    if (present.length === 0) return [];
    const outgrown = await this.#sizes.above(tx, present);
    for (const [column, isActive] of [
      ['embedding', true],
      ['shelved', false],
    ] as const)
      await this.#insertInto(
        column,
        tx,
        present
          .filter(({ active }) => active === isActive)
          .map((row) => ({ ...row, in_graph: outgrown.has(row.tenant) })),
        made,
      );
    return present.filter(({ tenant }) => outgrown.has(tenant));
  }

  /**
   * Adds vectors that were left out to the index, as many as were just inserted into it for the same tenants, so that none is left out
   * once a tenant has doubled. Must be the last statement of a transaction: it locks their rows, and waiting for other rows then could
   * deadlock.
   */
  async addToIndex(tx: SqlExecutor, inserted: readonly VectorRow[]): Promise<void> {
    const counts = new Map<string, number>();
    for (const { tenant } of inserted) counts.set(tenant, (counts.get(tenant) ?? 0) + 1);
    await addToIndex(tx, this.#table, ['memory_id'], counts);
  }

  /**
   * Runs `insert` and `update` in slices before the transaction that moves the checkpoint; `also` writes what follows from the rows of a
   * slice. Each slice may be repeated.
   */
  async writeEarly(
    { lanes, transaction }: EarlyWrites,
    rows: readonly VectorRow[],
    made: Made,
    also: (tx: SqlExecutor, slice: readonly VectorRow[]) => Promise<void>,
  ): Promise<void> {
    // In a fixed order, so that two generations that write the same vectors cannot deadlock.
    const sorted = rows.toSorted((left, right) => (left.memory_id < right.memory_id ? -1 : 1));
    const size = Math.min(lanes > 1 ? largestSlice : largestSliceAlone, Math.ceil(rows.length / lanes));
    const slices: (readonly VectorRow[])[] = [];
    for (let at = 0; at < sorted.length; at += size) slices.push(sorted.slice(at, at + size));
    const waiting = slices.values();
    const lane = async (): Promise<void> => {
      for (const slice of waiting)
        await transaction(async (tx) => {
          const inserted = await this.insert(tx, slice, made);
          // With several lanes an update would wait for rows that the others have locked.
          if (lanes === 1) await this.update(tx, slice, made);
          await also(tx, slice);
          await this.addToIndex(tx, inserted);
        });
    };
    // No lane may continue after this method has rejected.
    const ended = await Promise.allSettled(Array.from({ length: lanes }, lane));
    for (const outcome of ended) if (outcome.status === 'rejected') throw outcome.reason;
  }

  /** Replaces the vectors of changed texts. An unchanged text keeps its vector, which moves to `shelved` or back. */
  async update(tx: SqlExecutor, rows: readonly VectorRow[], made: Made): Promise<void> {
    // The first revision of a memory replaces none.
    await this.#updateOlder(
      tx,
      rows.filter(({ revision, active }) => revision > 0 || !active),
      made,
    );
  }

  async purge(tx: SqlExecutor, gone: readonly { tenant: string; memory_id: string }[]): Promise<void> {
    if (gone.length === 0) return;
    // In this order: a transaction that replaces a text locks its row and moves the old vector to the second table before it commits.
    for (const table of [this.#table, this.#superseded])
      await tx.query(
        `delete from ${table} k using ${memoryKeys.as('gone')}
         where k.tenant = gone.tenant and k.memory_id = gone.memory_id`,
        memoryKeys.bind(gone),
      );
  }

  async #insertInto(
    column: 'embedding' | 'shelved',
    tx: SqlExecutor,
    rows: readonly (VectorRow & { in_graph: boolean })[],
    made: Made,
  ): Promise<void> {
    if (rows.length === 0) return;
    const { array, bound } = vectorArray(
      rows.map(({ text_hash }) => made.get(text_hash)),
      inserted.size,
    );
    await tx.query(
      `insert into ${this.#table} (${inserted.names}, ${column})
       select ${inserted.names}, vector from ${inserted.as('n', { name: 'vector', array })}
       on conflict (tenant, memory_id) do nothing`,
      [...inserted.bind(rows), ...bound],
    );
  }

  async #updateOlder(tx: SqlExecutor, rows: readonly VectorRow[], made: Made): Promise<void> {
    if (rows.length === 0) return;
    const { array, bound } = vectorArray(
      rows.map(({ text_hash }) => made.get(text_hash)),
      updated.size,
    );
    await tx.query(
      `with n as materialized (
         select w.*, k.text_hash as old_hash, coalesce(k.embedding, k.shelved) as old,
           case when k.text_hash = w.text_hash then coalesce(k.embedding, k.shelved, w.vector) else w.vector end as kept
         from ${updated.as('w', { name: 'vector', array })}
         join ${this.#table} k using (tenant, memory_id)
         where k.revision < w.revision or (k.revision = w.revision and coalesce(k.embedding, k.shelved) is null)
         order by k.tenant, k.memory_id
         for update of k
       ), superseded as (
         insert into ${this.#superseded} (tenant, memory_id, text_hash, embedding)
         select tenant, memory_id, old_hash, old from n where old_hash <> text_hash and old is not null
         on conflict do nothing
       )
       update ${this.#table} k set
         revision = n.revision,
         text_hash = n.text_hash,
         embedding = case when n.active then n.kept end,
         shelved = case when not n.active then n.kept end
       from n where k.tenant = n.tenant and k.memory_id = n.memory_id`,
      [...updated.bind(rows), ...bound],
    );
  }
}
