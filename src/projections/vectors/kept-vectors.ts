import { exactScanLimit } from '../../domain/retrieval/exact-scan-limit.ts';
import { supersededVectorTable, vectorTable } from '../../read-models/vectors/tables.ts';
import type { EmbeddingModel } from '../../ports/embedder.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import { protect, type Beside } from '../projection.ts';
import { memoryKeys, Recordset } from '../recordset.ts';
import { scopeColumns, scopeColumnTypes } from '../scope-columns.ts';
import { TenantSizes } from './tenant-sizes.ts';

/** What a generation says of a memory's vector. */
export interface VectorRow {
  readonly tenant: string;
  readonly memory_id: string;
  readonly revision: number;
  /** The vector is of this text, and is used for no other. */
  readonly text_hash: string;
  readonly active: boolean;
  readonly [scopeColumn: string]: unknown;
}

/** Vectors by the hash of their text. */
type Made = ReadonlyMap<string, Float32Array>;

/** Where others write at the same time; alone at the database an insertion into the index may take 8 ms, and all wait for it. */
const largestSlice = 32;
const largestSliceAlone = 8;

const asked = new Recordset({ tenant: 'text', memory_id: 'uuid', revision: 'integer', n: 'integer' });
const inserted = new Recordset({
  tenant: 'text',
  memory_id: 'uuid',
  revision: 'integer',
  ...scopeColumnTypes,
  text_hash: 'text',
  in_graph: 'boolean',
});
const updated = new Recordset({
  tenant: 'text',
  memory_id: 'uuid',
  revision: 'integer',
  text_hash: 'text',
  active: 'boolean',
});

export function keptTable(model: EmbeddingModel): string {
  return vectorTable(model.id);
}

/**
 * `vector`, not `halfvec`: in WebAssembly the latter is five times slower, and one SQL serves both profiles.
 * The vectors of one model, one for each memory. The revision of the memory guards each row: an older event never
 * replaces a newer one. A deleted memory's vector is shelved, out of the index.
 * An insertion into the HNSW index costs thirty times the row's own, and a tenant whose vectors are all compared has no use
 * for it: they stand apart. Once it has outgrown that limit, new ones go into the index, and each draws one in that stands apart.
 * The vector of a text that was replaced goes to a second table without an index, for searches as of a position.
 */
export class KeptVectors {
  readonly #model: EmbeddingModel;
  readonly #table: string;
  readonly #superseded: string;
  readonly #sizes: TenantSizes;

  /** Above `mostApart` vectors those of a tenant go into the index. */
  constructor(model: EmbeddingModel, mostApart = exactScanLimit) {
    this.#model = model;
    this.#table = keptTable(model);
    this.#superseded = supersededVectorTable(model.id);
    this.#sizes = new TenantSizes(this.#table, mostApart);
  }

  /** Runs for each generation; all but the first find the tables there. */
  create(): readonly string[] {
    const name = this.#table.replace('read.', '');
    const type = `vector(${this.#model.dimension})`;
    return [
      unlessThere(
        this.#table,
        `create table ${this.#table} (
          tenant text not null,
          memory_id uuid not null,
          revision integer not null,
          ${scopeColumns},
          text_hash text not null,
          embedding ${type},
          shelved ${type},
          in_graph boolean not null default true,
          primary key (tenant, memory_id)
        )`,
        `create index ${name}_hnsw on ${this.#table} using hnsw (embedding vector_cosine_ops) with (m = 16, ef_construction = 64) where in_graph`,
        `create index ${name}_apart on ${this.#table} (tenant, memory_id) where not in_graph`,
      ),
      unlessThere(
        this.#superseded,
        `create table ${this.#superseded} (
          tenant text not null,
          memory_id uuid not null,
          text_hash text not null,
          embedding ${type} not null,
          primary key (tenant, memory_id, text_hash)
        )`,
      ),
    ];
  }

  /** Those of `texts` whose vector is neither kept nor made superfluous by a newer revision. */
  async missing<Text extends { tenant: string; memory_id: string; revision: number }>(
    executor: SqlExecutor,
    texts: readonly Text[],
  ): Promise<readonly Text[]> {
    if (texts.length === 0) return texts;
    const rows = await executor.query<{ n: number }>(
      `select wanted.n from ${asked.as('wanted')}
       join ${this.#table} k using (tenant, memory_id)
       where k.revision >= wanted.revision and coalesce(k.embedding, k.shelved) is not null`,
      asked.bind(texts.map(({ tenant, memory_id, revision }, n) => ({ tenant, memory_id, revision, n }))),
    );
    const present = new Set(rows.map(({ n }) => n));
    return texts.filter((_, index) => !present.has(index));
  }

  /** Keeps the vectors of memories that have none here, and are among `made`. Answers which of them go into the index. */
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
   * Draws into the index as many vectors that stand apart as were just written there, of the same tenants: none is left when a
   * tenant has doubled. To be the last of a transaction: it holds their rows then, and who then waited for others could wait
   * in a circle.
   */
  async drawIn(tx: SqlExecutor, inserted: readonly VectorRow[]): Promise<void> {
    if (inserted.length === 0) return;
    const counts = new Map<string, number>();
    for (const { tenant } of inserted) counts.set(tenant, (counts.get(tenant) ?? 0) + 1);
    await tx.query(
      `update ${this.#table} k set in_graph = true
       from unnest($1::text[], $2::integer[]) as grown(tenant, size) cross join lateral (
         select a.tenant, a.memory_id from ${this.#table} a where a.tenant = grown.tenant and not a.in_graph
         order by a.memory_id limit grown.size for update skip locked) apart
       where k.tenant = apart.tenant and k.memory_id = apart.memory_id`,
      [[...counts.keys()], [...counts.values()]],
    );
  }

  /** `insert` and `update` in slices. Each may be repeated, and be ahead of who asks for it. */
  async writeBeside({ lanes, transaction }: Beside, rows: readonly VectorRow[], made: Made): Promise<void> {
    // In one order, so that another generation that writes the same ones never waits for this one in a circle.
    const sorted = rows.toSorted((left, right) => (left.memory_id < right.memory_id ? -1 : 1));
    const size = Math.min(lanes > 1 ? largestSlice : largestSliceAlone, Math.ceil(rows.length / lanes));
    const slices: (readonly VectorRow[])[] = [];
    for (let at = 0; at < sorted.length; at += size) slices.push(sorted.slice(at, at + size));
    const waiting = slices.values();
    const lane = async (): Promise<void> => {
      for (const slice of waiting)
        await transaction(async (tx) => {
          const inserted = await this.insert(tx, slice, made);
          // Beside others an update would wait for rows that those hold.
          if (lanes === 1) await this.update(tx, slice, made);
          await this.drawIn(tx, inserted);
        });
    };
    // None is left behind that would go on after this one has failed.
    const ended = await Promise.allSettled(Array.from({ length: lanes }, lane));
    for (const outcome of ended) if (outcome.status === 'rejected') throw outcome.reason;
  }

  /** A new text brings its vector; the same text keeps it and only moves it onto the shelf or back. */
  async update(tx: SqlExecutor, rows: readonly VectorRow[], made: Made): Promise<void> {
    // The first text of a memory is older than no other.
    await this.#updateOlder(
      tx,
      rows.filter(({ revision, active }) => revision > 0 || !active),
      made,
    );
  }

  async purge(tx: SqlExecutor, gone: readonly { tenant: string; memory_id: string }[]): Promise<void> {
    if (gone.length === 0) return;
    // In this order: who replaces a text holds its row, and has put the old vector aside before it lets go.
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
    const { array, bound } = inBinary(
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
    const { array, bound } = inBinary(
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

/**
 * An array of vectors that are bound behind `$last`; null where there is none. As text a vector takes five times the room, and
 * PostgreSQL in WebAssembly .2 ms to read.
 */
function inBinary(vectors: readonly (Float32Array | undefined)[], last: number) {
  const bound: Float32Array[] = [];
  const elements = vectors.map((vector) => (vector ? `$${last + bound.push(vector)}` : 'null'));
  return { array: `array[${elements.join(', ')}]::vector[]`, bound };
}

function unlessThere(table: string, ...definitions: readonly string[]): string {
  return `do $$ begin
    if to_regclass('${table}') is not null then return; end if;
    ${[...definitions, ...protect(table)].join(';\n')};
  end $$`;
}
