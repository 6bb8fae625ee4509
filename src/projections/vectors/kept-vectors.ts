import { vectorTable } from '../../domain/retrieval/vector-table.ts';
import type { EmbeddingModel } from '../../ports/embedder.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import { protect } from '../projection.ts';
import { scopeColumnNames, scopeColumns } from '../scope-columns.ts';

/** What a generation says of a memory's vector. */
export interface VectorRow {
  readonly tenant: string;
  readonly memory_id: string;
  readonly revision: number;
  readonly text_hash: string;
  readonly active: boolean;
  readonly [scopeColumn: string]: unknown;
}

export function keptTable(model: EmbeddingModel): string {
  return vectorTable(model.id);
}

/**
 * `vector`, not `halfvec`: in WebAssembly the latter is five times slower, and one SQL serves both profiles.
 * The vectors of one model, one for each memory, with the index that searches them. The revision of the memory
 * guards each row: an older event never replaces a newer one. A deleted memory's vector is shelved, out of the index.
 */
export class KeptVectors {
  readonly #model: EmbeddingModel;
  readonly #table: string;

  constructor(model: EmbeddingModel) {
    this.#model = model;
    this.#table = keptTable(model);
  }

  /** Runs for each generation; all but the first find the table there. */
  create(): readonly string[] {
    const index = `${this.#table.replace('read.', '')}_hnsw`;
    const policies = protect(this.#table).join(';\n');
    return [
      `do $$ begin
        if to_regclass('${this.#table}') is not null then return; end if;
        create table ${this.#table} (
          tenant text not null,
          memory_id uuid not null,
          revision integer not null,
          ${scopeColumns},
          text_hash text not null,
          embedding vector(${this.#model.dimension}),
          shelved vector(${this.#model.dimension}),
          primary key (tenant, memory_id)
        );
        create index ${index} on ${this.#table} using hnsw (embedding vector_cosine_ops) with (m = 16, ef_construction = 64);
        ${policies};
      end $$`,
    ];
  }

  /** Those of `texts` whose vector is neither kept nor made superfluous by a newer revision. */
  async missing<Text extends { tenant: string; memory_id: string; revision: number }>(
    executor: SqlExecutor,
    texts: readonly Text[],
  ): Promise<readonly Text[]> {
    if (texts.length === 0) return texts;
    const rows = await executor.query<{ n: number }>(
      `select wanted.n::integer as n
       from rows from (jsonb_to_recordset($1::text::jsonb) as (tenant text, memory_id uuid, revision integer)) with ordinality
         as wanted(tenant, memory_id, revision, n)
       join ${this.#table} k using (tenant, memory_id)
       where k.revision >= wanted.revision and coalesce(k.embedding, k.shelved) is not null`,
      [JSON.stringify(texts.map(({ tenant, memory_id, revision }) => ({ tenant, memory_id, revision })))],
    );
    const present = new Set(rows.map(({ n }) => n - 1));
    return texts.filter((_, index) => !present.has(index));
  }

  async write(
    tx: SqlExecutor,
    rows: readonly VectorRow[],
    made: ReadonlyMap<string, Float32Array>,
  ): Promise<void> {
    const withVectors = rows.map((row) => {
      const vector = made.get(row.text_hash);
      return { ...row, vector: vector ? `[${vector.join(',')}]` : null };
    });
    await this.#insertNew(
      tx,
      withVectors.filter(({ vector }) => vector !== null),
    );
    // The first text of a memory is older than no other.
    await this.#updateOlder(
      tx,
      withVectors.filter(({ revision, active }) => revision > 0 || !active),
    );
  }

  async purge(tx: SqlExecutor, gone: readonly { tenant: string; memory_id: string }[]): Promise<void> {
    await tx.query(
      `delete from ${this.#table} k using jsonb_to_recordset($1::text::jsonb) as gone(tenant text, memory_id uuid)
       where k.tenant = gone.tenant and k.memory_id = gone.memory_id`,
      [JSON.stringify(gone)],
    );
  }

  async #insertNew(tx: SqlExecutor, rows: readonly (VectorRow & { vector: string | null })[]): Promise<void> {
    if (rows.length === 0) return;
    const columns = [
      'tenant',
      'memory_id',
      'revision',
      ...scopeColumnNames,
      'text_hash',
      'embedding',
      'shelved',
    ];
    const values = rows.map(({ vector, active, ...row }) => ({
      ...row,
      ...(active ? { embedding: vector } : { shelved: vector }),
    }));
    await tx.query(
      `insert into ${this.#table} (${columns.join(', ')})
       select ${columns.join(', ')} from jsonb_populate_recordset(null::${this.#table}, $1::text::jsonb)
       on conflict (tenant, memory_id) do nothing`,
      [JSON.stringify(values)],
    );
  }

  /** A new text brings its vector; the same text keeps it and only moves it onto the shelf or back. */
  async #updateOlder(
    tx: SqlExecutor,
    rows: readonly (VectorRow & { vector: string | null })[],
  ): Promise<void> {
    if (rows.length === 0) return;
    const type = `vector(${this.#model.dimension})`;
    await tx.query(
      `update ${this.#table} k set
         revision = n.revision,
         text_hash = n.text_hash,
         embedding = case when n.active then n.kept end,
         shelved = case when not n.active then n.kept end
       from (
         select w.*, case when k.text_hash = w.text_hash then coalesce(k.embedding, k.shelved, w.vector::${type}) else w.vector::${type} end as kept
         from jsonb_to_recordset($1::text::jsonb)
           as w(tenant text, memory_id uuid, revision integer, text_hash text, active boolean, vector text)
         join ${this.#table} k using (tenant, memory_id)
         where k.revision < w.revision or (k.revision = w.revision and coalesce(k.embedding, k.shelved) is null)
       ) n
       where k.tenant = n.tenant and k.memory_id = n.memory_id`,
      [
        JSON.stringify(
          rows.map(({ tenant, memory_id, revision, text_hash, active, vector }) => ({
            tenant,
            memory_id,
            revision,
            text_hash,
            active,
            vector,
          })),
        ),
      ],
    );
  }
}
