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
  const vectors = modelId === undefined ? [] : await readVectors(sql, tenant, results, modelId);
  const byId = new Map(vectors.map(({ memory_id: id, numbers }) => [id, vectorOf(numbers)]));
  return new Map(
    results.map((result) => {
      const { id } = result.memory;
      return [id, { vector: byId.get(id), terms: new Set(termCounts(matchedText(result)).counts.keys()) }];
    }),
  );
}

function matchedText({ memory: { content }, passage: number }: Scored): string {
  const passage = number === undefined ? undefined : passagesOf(content)[number];
  return passage ? passageText(content, passage) : content;
}

/** The vectors by the hash of the text: as of a position it may be a text that was replaced since. */
function readVectors(
  sql: Sql,
  tenant: string,
  results: readonly Scored[],
  modelId: string,
): Promise<VectorRow[]> {
  const parameters = new Parameters();
  const ids = parameters.bind(results.map(({ memory }) => memory.id));
  const hashes = parameters.bind(results.map(({ memory }) => textHash(memory.content)));
  const numbers = parameters.bind(results.map(({ passage }) => passage ?? whole));
  const lookup = lookupsOf(tenant, parameters);
  // The binary form of pgvector, without its header.
  const from = (table: string, embedding: string, condition = `found.passage = ${whole}`) =>
    `select numbers from ${lookup(
      `substring(vector_send(${embedding}) from 5) as numbers`,
      table,
      `t.text_hash = found.text_hash and ${condition}`,
    )}`;
  // Only results of a read model with passages have a passage.
  const passages = results.some(({ passage }) => passage !== undefined)
    ? `${from(passageVectorTable(modelId), 'coalesce(t.embedding, t.shelved)', 't.n = found.passage')} passage union all`
    : '';
  return sql.queryAs<VectorRow>(
    tenant,
    `select found.memory_id, k.numbers from unnest(${ids}::uuid[], ${hashes}::text[], ${numbers}::integer[]) as found(memory_id, text_hash, passage)
     cross join lateral (${passages} ${from(vectorTable(modelId), 'coalesce(t.embedding, t.shelved)')} current
       union all ${from(supersededVectorTable(modelId), 't.embedding')} replaced limit 1) k
     where k.numbers is not null`,
    parameters.values,
  );
}

function vectorOf(numbers: Uint8Array): Float32Array {
  const view = new DataView(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  return Float32Array.from({ length: numbers.byteLength / 4 }, (_, index) => view.getFloat32(index * 4));
}
