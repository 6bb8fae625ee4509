import type { MemoryView } from '../../domain/memory/view.ts';
import type { Substance } from '../../domain/ranking/likeness.ts';
import { termCounts } from '../../domain/text/tokens.ts';
import { supersededVectorTable, vectorTable } from '../../read-models/vectors/tables.ts';
import type { Sql } from '../../ports/sql.ts';
import { textHash } from '../../support/text-hash.ts';
import { Parameters } from '../sql-builder.ts';
import { lookupsOf } from './lookups.ts';

/** In UTF-16 units; a vector says hardly anything of what comes later in a text. */
const comparedLength = 2_000;

interface VectorRow {
  readonly [column: string]: unknown;
  readonly memory_id: string;
  /** Big-endian, four bytes a number. */
  readonly numbers: Uint8Array;
}

/** What these memories say, to compare them with each other: their words and, by the model if it is given, their vectors. */
export async function readSubstances(
  sql: Sql,
  tenant: string,
  memories: readonly MemoryView[],
  modelId: string | undefined,
): Promise<ReadonlyMap<string, Substance>> {
  const vectors = modelId === undefined ? [] : await readVectors(sql, tenant, memories, modelId);
  const byId = new Map(vectors.map(({ memory_id: id, numbers }) => [id, vectorOf(numbers)]));
  return new Map(
    memories.map(({ id, content }) => {
      const terms = new Set(termCounts(content.slice(0, comparedLength)).counts.keys());
      return [id, { vector: byId.get(id), terms }];
    }),
  );
}

/** By the hash of the text: as of a position it may be one that was replaced since. */
function readVectors(
  sql: Sql,
  tenant: string,
  memories: readonly MemoryView[],
  modelId: string,
): Promise<VectorRow[]> {
  const parameters = new Parameters();
  const ids = parameters.bind(memories.map(({ id }) => id));
  const hashes = parameters.bind(memories.map(({ content }) => textHash(content)));
  const lookup = lookupsOf(tenant, parameters);
  // The binary form of pgvector, without its header.
  const from = (table: string, embedding: string) =>
    `select numbers from ${lookup(
      `substring(vector_send(${embedding}) from 5) as numbers`,
      table,
      't.text_hash = found.text_hash',
    )}`;
  return sql.queryAs<VectorRow>(
    tenant,
    `select found.memory_id, k.numbers from unnest(${ids}::uuid[], ${hashes}::text[]) as found(memory_id, text_hash)
     cross join lateral (${from(vectorTable(modelId), 'coalesce(t.embedding, t.shelved)')} current
       union all ${from(supersededVectorTable(modelId), 't.embedding')} replaced limit 1) k
     where k.numbers is not null`,
    parameters.values,
  );
}

function vectorOf(numbers: Uint8Array): Float32Array {
  const view = new DataView(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  return Float32Array.from({ length: numbers.byteLength / 4 }, (_, index) => view.getFloat32(index * 4));
}
