import type { Steps } from '../../domain/steps.ts';
import type { Representations } from '../../domain/memory/content.ts';
import { representationPassageSteps, textAround } from '../../domain/memory/searched-text.ts';
import { passageSteps, passageText, type Passage } from '../../domain/text/passages.ts';
import type { EmbeddingModel } from '../../ports/embedder.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import { exactScanLimit } from '../../domain/retrieval/exact-scan-limit.ts';
import { revisionInKey } from '../../read-models/vectors/representations.ts';
import { passageVectorTable } from '../../read-models/vectors/tables.ts';
import { textHash } from '../../support/text-hash.ts';
import { runInSlices } from '../../support/time-slice.ts';
import { memoryKey, type MemoryKey } from '../memory-rows.ts';
import { memoryKeys, Recordset } from '../../read-models/recordset.ts';
import { Table } from '../../read-models/table.ts';
import { scopeColumns } from '../scope-columns.ts';
import { addToIndex, createIfMissing, vectorArray } from './vector-sql.ts';
import { TenantSizes } from './tenant-sizes.ts';
import type { VectorRow } from './vector-rows.ts';

/** Passages of a text that are embedded with it. The others follow in the background (`PassageBacklog`). */
export const embeddedAtOnce = 64;

/** A passage of a long text, or of a representation, as it is embedded. */
export interface HashedPassage {
  /** Its number in the text, from 0; of the passages of representations, the last is -1. */
  readonly n: number;
  readonly text: string;
  readonly hash: string;
}

/** A text that is divided into passages. */
export type DividedText = Omit<VectorRow, 'revision' | 'passages' | 'active'>;

/** The passages of a text; none if it is short. */
export function hashedPassages(text: string): Promise<readonly HashedPassage[]> {
  return runInSlices(hashedPassageSteps(text));
}

/** The passages of the representations of a memory. */
export function hashedRepresentations(representations: Representations): Promise<readonly HashedPassage[]> {
  return runInSlices(hashedRepresentationSteps(representations));
}

function* hashedPassageSteps(text: string): Steps<readonly HashedPassage[]> {
  return yield* hashedSteps(yield* passageSteps(text), () => text);
}

function* hashedRepresentationSteps(representations: Representations): Steps<readonly HashedPassage[]> {
  const passages = yield* representationPassageSteps(representations);
  const around = (passage: (typeof passages)[number]) =>
    textAround({ content: '', representations }, passage);
  return yield* hashedSteps(passages, around, -passages.length);
}

function* hashedSteps<Own extends Passage>(
  passages: readonly Own[],
  textOf: (passage: Own) => string,
  first = 0,
): Steps<readonly HashedPassage[]> {
  const hashed: HashedPassage[] = [];
  for (const [at, passage] of passages.entries()) {
    const own = passageText(textOf(passage), passage);
    hashed.push({ n: first + at, text: own, hash: textHash(own) });
    yield;
  }
  return hashed;
}

/** Maximum number of rows in one statement. */
const mostInserted = 32;

const lookups = new Recordset({ tenant: 'text', memory_id: 'uuid', hash: 'text', n: 'integer' });
const replacements = new Recordset({
  tenant: 'text',
  memory_id: 'uuid',
  text_hash: 'text',
  revision: 'integer',
  count: 'integer',
});
const divisions = new Recordset({ tenant: 'text', memory_id: 'uuid', text_hash: 'text', count: 'integer' });
/** Without the vectors and `in_graph`. Each model has its own table, by the name of `passageVectorTable`. */
const passageRows = new Table('passage_vectors', {
  columns: {
    tenant: 'text',
    memory_id: 'uuid',
    ...scopeColumns,
    text_hash: 'text',
    n: 'integer',
    hash: 'text',
  },
  key: ['tenant', 'memory_id', 'text_hash', 'n'],
});
const written = new Recordset({ ...passageRows.columns, in_graph: 'boolean' });

/**
 * The vectors of one model of the passages of long texts, beside those of the whole texts (`KeptVectors`), whose rows say which text of
 * a memory is valid. The passages of that text are in `embedding`; those of replaced texts, and of deleted memories, in `shelved`,
 * outside of the index. A passage without either waits to be embedded in the background.
 */
export class PassageVectors {
  readonly #table: string;
  readonly #dimension: number;
  readonly #kept: string;
  readonly #sizes: TenantSizes;

  /** `kept` is the table of the whole texts. The vectors of a tenant go into the index once it has more than `maxOutsideIndex`. */
  constructor(model: EmbeddingModel, kept: string, maxOutsideIndex = exactScanLimit) {
    this.#table = passageVectorTable(model.id);
    this.#dimension = model.dimension;
    this.#kept = kept;
    this.#sizes = new TenantSizes(this.#table, maxOutsideIndex);
  }

  create(): readonly string[] {
    const name = this.#table.replace('read.', '');
    const type = `vector(${this.#dimension})`;
    return [
      createIfMissing(
        this.#table,
        ...passageRows.create(
          () => this.#table,
          `embedding ${type}`,
          `shelved ${type}`,
          'in_graph boolean not null default true',
        ),
        `create index ${name}_hnsw on ${this.#table} using hnsw (embedding vector_cosine_ops) with (m = 16, ef_construction = 64) where in_graph`,
        `create index ${name}_apart on ${this.#table} (tenant, memory_id) where not in_graph`,
        `create index ${name}_waiting on ${this.#table} (tenant, memory_id) where embedding is null and shelved is null`,
      ),
    ];
  }

  /**
   * The passages that need a vector now, by `memoryKey`: they are among the first of their text, and no former text of their memory
   * had the same one.
   */
  async missing(
    executor: SqlExecutor,
    texts: readonly (MemoryKey & { readonly text_hash: string })[],
    passagesOfText: ReadonlyMap<string, readonly HashedPassage[]>,
  ): Promise<ReadonlyMap<string, readonly HashedPassage[]>> {
    const passages = texts.flatMap(({ tenant, memory_id, text_hash }) =>
      (passagesOfText.get(text_hash) ?? [])
        .slice(0, embeddedAtOnce)
        .map((passage) => ({ tenant, memory_id, passage })),
    );
    if (passages.length === 0) return new Map();
    const rows = await executor.query<{ n: number }>(
      `select wanted.n from ${lookups.as('wanted')} where exists (
         select from ${this.#table} p
         where p.tenant = wanted.tenant and p.memory_id = wanted.memory_id and p.hash = wanted.hash
           and coalesce(p.embedding, p.shelved) is not null)`,
      lookups.bind(
        passages.map(({ tenant, memory_id, passage }, n) => ({ tenant, memory_id, hash: passage.hash, n })),
      ),
    );
    const present = new Set(rows.map(({ n }) => n));
    const missing = new Map<string, HashedPassage[]>();
    for (const [at, { passage, ...key }] of passages.entries()) {
      if (present.has(at)) continue;
      const own = missing.get(memoryKey(key)) ?? [];
      own.push(passage);
      missing.set(memoryKey(key), own);
    }
    return missing;
  }

  /**
   * Adds the passages of texts, with new vectors or those of the same passages in former texts. Must follow the rows of the whole
   * texts. May be repeated. Returns the tenants whose rows went into the index, with the number of rows.
   */
  async insert(
    tx: SqlExecutor,
    texts: readonly DividedText[],
    passagesOfText: ReadonlyMap<string, readonly HashedPassage[]>,
    made: ReadonlyMap<string, Float32Array>,
  ): Promise<ReadonlyMap<string, number>> {
    const grown = new Map<string, number>();
    const divided = texts.filter(({ text_hash }) => passagesOfText.has(text_hash));
    if (divided.length === 0) return grown;
    const rows = divided.flatMap((text) =>
      passagesOfText.get(text.text_hash)!.map(({ n, hash }) => ({ ...text, n, hash })),
    );
    await this.#dropBeyond(
      tx,
      divided.map((text) => ({ ...text, count: passagesOfText.get(text.text_hash)!.length })),
    );
    const outgrown = await this.#sizes.above(tx, rows);
    for (let at = 0; at < rows.length; at += mostInserted) {
      const some = rows
        .slice(at, at + mostInserted)
        .map((row) => ({ ...row, in_graph: outgrown.has(row.tenant) }));
      const { array, bound } = vectorArray(
        some.map(({ hash }) => made.get(hash)),
        written.size,
      );
      await tx.query(
        // All former vectors are looked for at once: for each passage by itself, PostgreSQL would read all passages of its memory.
        `with w as materialized (
           select * from ${written.as('given', { name: 'vector', array })}
         ), former as materialized (
           select distinct on (o.tenant, o.memory_id, o.hash)
             o.tenant, o.memory_id, o.hash, coalesce(o.embedding, o.shelved) as vector
           from (select distinct tenant, memory_id from w where vector is null) m
           join ${this.#table} o using (tenant, memory_id)
           where coalesce(o.embedding, o.shelved) is not null and o.hash in (select hash from w where vector is null)
         ), n as materialized (
           select w.*, k.memory_id is not null as is_valid, coalesce(w.vector, f.vector) as kept
           from w
           left join former f on f.tenant = w.tenant and f.memory_id = w.memory_id and f.hash = w.hash
           left join ${this.#kept} k on k.tenant = w.tenant and k.memory_id = w.memory_id
             and (k.text_hash = w.text_hash or w.n < 0) and k.embedding is not null)
         insert into ${this.#table} as p (${written.names}, embedding, shelved)
         select ${written.names}, case when is_valid then kept end, case when not is_valid then kept end from n
         on conflict (tenant, memory_id, text_hash, n) do update
         set hash = excluded.hash, embedding = excluded.embedding, shelved = excluded.shelved
         where p.hash <> excluded.hash
           or (p.embedding is null and p.shelved is null and coalesce(excluded.embedding, excluded.shelved) is not null)`,
        [...written.bind(some), ...bound],
      );
    }
    for (const { tenant } of rows) if (outgrown.has(tenant)) grown.set(tenant, (grown.get(tenant) ?? 0) + 1);
    return grown;
  }

  /**
   * Replaces the passages of representations by those that an event set, unless a later event has set others. `text_hash` is their
   * `representationsKey`. Otherwise as `insert`. Those of before are not kept: searches as of a position find them by their words.
   */
  async replaceRepresentations(
    tx: SqlExecutor,
    texts: readonly (DividedText & { readonly revision: number })[],
    passagesOfText: ReadonlyMap<string, readonly HashedPassage[]>,
    made: ReadonlyMap<string, Float32Array>,
  ): Promise<ReadonlyMap<string, number>> {
    if (texts.length === 0) return new Map();
    const counted = texts.map((text) => ({
      ...text,
      count: passagesOfText.get(text.text_hash)?.length ?? 0,
    }));
    const isOfMemory = 'p.tenant = given.tenant and p.memory_id = given.memory_id and p.n < 0';
    const revision = revisionInKey('p.text_hash');
    const later = await tx.query<MemoryKey & Record<string, unknown>>(
      `select given.tenant, given.memory_id from ${replacements.as('given')}
       where exists (select from ${this.#table} p where ${isOfMemory} and ${revision} > given.revision)`,
      replacements.bind(counted),
    );
    const isLater = new Set(later.map(memoryKey));
    const current = counted.filter((text) => !isLater.has(memoryKey(text)));
    // Takes over the vectors of unchanged passages before the former ones are deleted.
    const grown = await this.insert(tx, current, passagesOfText, made);
    await tx.query(
      `delete from ${this.#table} p using ${replacements.as('given')}
       where ${isOfMemory} and (p.text_hash <> given.text_hash or p.n < -given.count)`,
      replacements.bind(current),
    );
    return grown;
  }

  /** Like `KeptVectors.addToIndex`, for the rows that `insert` returned. */
  addToIndex(tx: SqlExecutor, grown: ReadonlyMap<string, number>): Promise<void> {
    return addToIndex(tx, this.#table, ['memory_id', 'text_hash', 'n'], grown);
  }

  /** Deletes passages that are left over if an earlier version divided the same texts into more passages. */
  async #dropBeyond(
    tx: SqlExecutor,
    texts: readonly (DividedText & { readonly count: number })[],
  ): Promise<void> {
    await tx.query(
      `delete from ${this.#table} p using ${divisions.as('divided')}
       where p.tenant = divided.tenant and p.memory_id = divided.memory_id and p.text_hash = divided.text_hash
         and p.n >= divided.count`,
      divisions.bind(texts),
    );
  }

  /** Moves vectors into the index or out of it, as the rows of the whole texts say. */
  async follow(tx: SqlExecutor, memories: readonly MemoryKey[]): Promise<void> {
    if (memories.length === 0) return;
    await tx.query(
      `update ${this.#table} p set
         embedding = case when valid.is_valid then p.shelved end,
         shelved = case when not valid.is_valid then p.embedding end
       from (
         select k.tenant, k.memory_id, o.text_hash, o.n,
           (o.text_hash = k.text_hash or o.n < 0) and k.embedding is not null as is_valid
         from ${memoryKeys.as('changed')}
         join ${this.#kept} k using (tenant, memory_id)
         join ${this.#table} o using (tenant, memory_id)) valid
       where p.tenant = valid.tenant and p.memory_id = valid.memory_id and p.text_hash = valid.text_hash and p.n = valid.n
         and case when valid.is_valid then p.shelved is not null else p.embedding is not null end`,
      memoryKeys.bind(memories),
    );
  }

  async purge(tx: SqlExecutor, gone: readonly MemoryKey[]): Promise<void> {
    if (gone.length === 0) return;
    await tx.query(
      `delete from ${this.#table} p using ${memoryKeys.as('gone')}
       where p.tenant = gone.tenant and p.memory_id = gone.memory_id`,
      memoryKeys.bind(gone),
    );
  }
}
