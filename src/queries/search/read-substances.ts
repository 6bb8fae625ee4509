import type { Substance } from '../../domain/ranking/likeness.ts';
import { passagesOf, passageText } from '../../domain/text/passages.ts';
import { termCounts } from '../../domain/text/tokens.ts';
import { passageVectorTable, supersededVectorTable, vectorTable } from '../../read-models/vectors/tables.ts';
import type { Sql } from '../../ports/sql.ts';
import { textHash } from '../../support/text-hash.ts';
import { Parameters } from '../sql-builder.ts';
import { lookupsOf } from './lookups.ts';
import type { Scored } from './shortlist.ts';

/** Stands for the number of a passage where the whole text matches. */
const whole = -1;

interface VectorRow {
  readonly [column: string]: unknown;
  readonly memory_id: string;
  /** Big-endian, four bytes a number. */
  readonly numbers: Uint8Array;
}

/**
 * What these results say, to compare them with each other: the words and, by the model if it is given, the vectors of their texts, or of
 * the passages of long texts that match.
 */
export async function readSubstances(
  sql: Sql,
  tenant: string,
  results: readonly Scored[],
  modelId: string | undefined,
): Promise<ReadonlyMap<string, Substance>> {
  const texts = results.map(({ memory: { id, content }, passage }) => ({ id, content, passage }));
  const vectors = modelId === undefined ? undefined : await readVectors(sql, tenant, texts, modelId);
  return new Map(
    results.map((result) => {
      const { id } = result.memory;
      return [
        id,
        { vector: vectors?.get(id), terms: new Set(termCounts(matchedText(result)).counts.keys()) },
      ];
    }),
  );
}

function matchedText({ memory: { content }, passage: number }: Scored): string {
  const passage = number === undefined ? undefined : passagesOf(content)[number];
  return passage ? passageText(content, passage) : content;
}

/** The text of a memory, or one of its passages by number. */
interface StoredText {
  readonly id: string;
  readonly content: string;
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
  const parameters = new Parameters();
  const ids = parameters.bind(texts.map(({ id }) => id));
  const hashes = parameters.bind(texts.map(({ content }) => textHash(content)));
  const numbers = parameters.bind(texts.map(({ passage }) => passage ?? whole));
  const lookup = lookupsOf(tenant, parameters);
  // The binary form of pgvector, without its header.
  const from = (table: string, embedding: string, condition = `found.passage = ${whole}`) =>
    `select numbers from ${lookup(
      `substring(vector_send(${embedding}) from 5) as numbers`,
      table,
      `t.text_hash = found.text_hash and ${condition}`,
    )}`;
  // Only results of a read model with passages have a passage.
  const passages = texts.some(({ passage }) => passage !== undefined)
    ? `${from(passageVectorTable(modelId), 'coalesce(t.embedding, t.shelved)', 't.n = found.passage')} passage union all`
    : '';
  const rows = await sql.queryAs<VectorRow>(
    tenant,
    `select found.memory_id, k.numbers from unnest(${ids}::uuid[], ${hashes}::text[], ${numbers}::integer[]) as found(memory_id, text_hash, passage)
     cross join lateral (${passages} ${from(vectorTable(modelId), 'coalesce(t.embedding, t.shelved)')} current
       union all ${from(supersededVectorTable(modelId), 't.embedding')} replaced limit 1) k
     where k.numbers is not null`,
    parameters.values,
  );
  return new Map(rows.map(({ memory_id: id, numbers: bytes }) => [id, vectorOf(bytes)]));
}

function vectorOf(numbers: Uint8Array): Float32Array {
  const view = new DataView(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  return Float32Array.from({ length: numbers.byteLength / 4 }, (_, index) => view.getFloat32(index * 4));
}
