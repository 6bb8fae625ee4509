import { LRUCache } from 'lru-cache';
import type { Substance } from '../../domain/ranking/likeness.ts';
import {
  searchedPassageSteps,
  textAround,
  type SearchedPassage,
  type SearchedText,
} from '../../domain/memory/searched-text.ts';
import { passageText } from '../../domain/text/passages.ts';
import { termCountSteps } from '../../domain/text/tokens.ts';
import type { Representations } from '../../domain/memory/content.ts';
import { areRepresentations, representationsHash } from '../../read-models/vectors/representations.ts';
import { passageVectorTable, supersededVectorTable, vectorTable } from '../../read-models/vectors/tables.ts';
import type { Sql } from '../../ports/sql.ts';
import type { MemoryRef, Surface } from '../../ports/surface.ts';
import { textHash } from '../../support/text-hash.ts';
import { runInSlices } from '../../support/time-slice.ts';
import { Parameters } from '../sql-builder.ts';
import { lookupsOf } from './lookups.ts';
import type { Scored } from './shortlist.ts';

/** In place of the number of a passage if the whole text matches. */
const whole = 2_147_483_647;

interface VectorRow {
  readonly [column: string]: unknown;
  readonly memory_id: string;
  /** Big-endian, four bytes a number. */
  readonly numbers: Uint8Array;
}

/** The same memories answer many questions: about 2 kB each. */
const maxKept = 5_000;
/** What was erased does not stay in memory for long. */
const keptMs = 30_000;

/**
 * What results say, to compare them with each other: the words and, by the model if it is given, the vectors of their texts, or of the
 * passages of long texts that match. Those of the latest results are kept for a while.
 */
export class Substances implements Surface {
  readonly name = 'compared results';
  readonly #sql: Sql;
  readonly #kept = new LRUCache<string, Substance>({ max: maxKept, ttl: keptMs, ttlAutopurge: true });

  /** How often memories were forgotten: what was read before is not kept. */
  #forgotten = 0;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  count(memories: readonly MemoryRef[]): Promise<number> {
    return Promise.resolve(this.#keysOf(memories).length);
  }

  forget(erased: readonly MemoryRef[]): Promise<void> {
    this.#forgotten++;
    for (const key of this.#keysOf(erased)) this.#kept.delete(key);
    return Promise.resolve();
  }

  #keysOf(memories: readonly MemoryRef[]): string[] {
    const prefixes = new Set(memories.map(({ tenant, memoryId }) => prefixOf(tenant, memoryId)));
    return [...this.#kept.keys()].filter((key) => prefixes.has(key.slice(0, key.indexOf(']') + 1)));
  }

  /** Returns what each result says, by memory id. Rejects with an error of `isOutdated` if the vectors of the model are gone. */
  async of(
    tenant: string,
    results: readonly Scored[],
    modelId: string | undefined,
  ): Promise<ReadonlyMap<string, Substance>> {
    const substances = new Map<string, Substance>();
    const unknown: Scored[] = [];
    for (const result of results) {
      const kept = this.#kept.get(keyOf(tenant, result, modelId));
      if (kept) substances.set(result.memory.id, kept);
      else unknown.push(result);
    }
    if (unknown.length === 0) return substances;
    const forgotten = this.#forgotten;
    const matched = new Map<string, Matched>();
    for (const result of unknown) matched.set(result.memory.id, await matchedIn(result));
    const texts = unknown.map(({ memory: { id, content, representations } }) => {
      const { stored } = matched.get(id)!;
      return {
        id,
        content,
        ...(stored < 0 && { representations }),
        passage: stored === whole ? undefined : stored,
      };
    });
    const vectors = modelId === undefined ? undefined : await readVectors(this.#sql, tenant, texts, modelId);
    for (const result of unknown) {
      const vector = vectors?.get(result.memory.id);
      const { counts } = await runInSlices(termCountSteps(matched.get(result.memory.id)!.text));
      const substance = { vector, terms: new Set(counts.keys()) };
      substances.set(result.memory.id, substance);
      // The vector of a new text is yet to come.
      if (vector && forgotten === this.#forgotten) this.#kept.set(keyOf(tenant, result, modelId), substance);
    }
    return substances;
  }
}

function keyOf(tenant: string, { memory, passage }: Scored, modelId: string | undefined): string {
  return prefixOf(tenant, memory.id) + JSON.stringify([memory.revision, passage, modelId]);
}

function prefixOf(tenant: string, memoryId: string): string {
  return JSON.stringify([tenant, memoryId]);
}

/** The part of a memory that matches. */
interface Matched {
  readonly text: string;
  /** Number of the passage in the table of passages, or `whole`. */
  readonly stored: number;
}

async function matchedIn({ memory, passage: number }: Scored): Promise<Matched> {
  const passages = number === undefined ? [] : await runInSlices(searchedPassageSteps(memory));
  const passage = number === undefined ? undefined : passages[number];
  if (number === undefined || !passage || isWholeContent(memory, passage))
    return { text: memory.content, stored: whole };
  const stored = passage.representation === undefined ? number : number - passages.length;
  return { text: passageText(textAround(memory, passage), passage), stored };
}

function isWholeContent(
  { content }: Pick<SearchedText, 'content'>,
  { representation, start, end }: SearchedPassage,
): boolean {
  return representation === undefined && start === 0 && end === content.length;
}

/** The text of a memory, or one of its passages by number. */
interface StoredText {
  readonly id: string;
  readonly content: string;
  /** If the passage is one of them. */
  readonly representations?: Representations;
  /** Negative if it is a passage of a representation. */
  readonly passage?: number | undefined;
}

/**
 * The vectors of these texts by memory id, as far as the model's read model has them. They are found by the hash of the text: as of a
 * position it may be a text that was replaced since.
 */
export async function readVectors(
  sql: Sql,
  tenant: string,
  texts: readonly StoredText[],
  modelId: string,
): Promise<ReadonlyMap<string, Float32Array>> {
  const wholes = texts.filter(({ passage }) => passage === undefined);
  const current = await readCurrent(sql, tenant, wholes, modelId);
  const others = texts.filter(({ id }) => !current.has(id));
  if (others.length === 0) return current;
  return new Map([...current, ...(await readOthers(sql, tenant, others, modelId))]);
}

/** Reads the vectors of whole texts that were not replaced since: nearly all of them, in the quickest way. */
async function readCurrent(
  sql: Sql,
  tenant: string,
  texts: readonly StoredText[],
  modelId: string,
): Promise<ReadonlyMap<string, Float32Array>> {
  if (texts.length === 0) return new Map();
  const rows = await sql.queryAs<VectorRow & { readonly text_hash: string }>(
    tenant,
    `select t.memory_id, t.text_hash, ${numbersOf('coalesce(t.embedding, t.shelved)')} as numbers
     from ${vectorTable(modelId)} t
     where t.tenant = $1 and t.memory_id = any ($2::uuid[]) and coalesce(t.embedding, t.shelved) is not null`,
    [tenant, texts.map(({ id }) => id)],
  );
  const hashes = new Map(texts.map(({ id, content }) => [id, textHash(content)]));
  return vectorsIn(rows.filter(({ memory_id: id, text_hash: hash }) => hashes.get(id) === hash));
}

/** Reads the vectors of passages, and of texts that were replaced since. */
async function readOthers(
  sql: Sql,
  tenant: string,
  texts: readonly StoredText[],
  modelId: string,
): Promise<ReadonlyMap<string, Float32Array>> {
  const parameters = new Parameters();
  const ids = parameters.bind(texts.map(({ id }) => id));
  const hashes = parameters.bind(
    texts.map(({ content, representations }) =>
      representations ? representationsHash(representations) : textHash(content),
    ),
  );
  const numbers = parameters.bind(texts.map(({ passage }) => passage ?? whole));
  const lookup = lookupsOf(tenant, parameters);
  const from = (
    table: string,
    embedding: string,
    condition = `t.text_hash = found.text_hash and found.passage = ${whole}`,
  ) => `select numbers from ${lookup(`${numbersOf(embedding)} as numbers`, table, condition)}`;
  // Only results of a read model with passages have a passage.
  const passages = texts.some(({ passage }) => passage !== undefined)
    ? `${from(passageVectorTable(modelId), 'coalesce(t.embedding, t.shelved)', `t.n = found.passage and (t.text_hash = found.text_hash or ${areRepresentations('t', 'found.text_hash')})`)} passage union all`
    : '';
  const rows = await sql.queryAs<VectorRow>(
    tenant,
    `select found.memory_id, k.numbers from unnest(${ids}::uuid[], ${hashes}::text[], ${numbers}::integer[]) as found(memory_id, text_hash, passage)
     cross join lateral (${passages} ${from(supersededVectorTable(modelId), 't.embedding')} replaced limit 1) k
     where k.numbers is not null`,
    parameters.values,
  );
  return vectorsIn(rows);
}

/** SQL for the binary form of pgvector, without its header. */
const numbersOf = (embedding: string): string => `substring(vector_send(${embedding}) from 5)`;

function vectorsIn(rows: readonly VectorRow[]): ReadonlyMap<string, Float32Array> {
  return new Map(rows.map(({ memory_id: id, numbers }) => [id, vectorOf(numbers)]));
}

function vectorOf(numbers: Uint8Array): Float32Array {
  const view = new DataView(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  return Float32Array.from({ length: numbers.byteLength / 4 }, (_, index) => view.getFloat32(index * 4));
}
