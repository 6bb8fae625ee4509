import { dotProduct } from '../../../domain/dot-product.ts';
import { TERMS_OF_PASSAGE } from '../../../domain/ranking/best-passage.ts';
import { match, type WeightedTerms } from '../../../domain/ranking/bm25.ts';
import { passagesOf } from '../../../domain/text/passages.ts';
import { supersededVectorTable, vectorTable } from '../../../read-models/vectors/tables.ts';
import { termCounts } from '../../../domain/text/tokens.ts';
import { embedEach, vectorIn, type Embedder } from '../../../ports/embedder.ts';
import type { Sql } from '../../../ports/sql.ts';
import type { NearPassage } from '../../../ports/vector-index.ts';
import { textHashSql } from '../../../support/text-hash.ts';
import type { ReadView } from '../../read-models.ts';
import { regionCondition } from '../../scope-sql.ts';
import { allOf, Parameters } from '../../sql-builder.ts';
import { filterConditions } from '../filter-join.ts';
import { lookupsOf } from '../lookups.ts';
import type { CandidateQuery, DenseQuery } from '../sources/candidate-source.ts';
import { negativeCosine } from '../sources/signals.ts';
import { bm25Column, hasTerms } from '../sources/term-columns.ts';
import { wasActive } from './was-active.ts';

/** How many memories a scan looks at, at most. */
const maxScanned = 10_000;
/** How many of them may have another text by now: the old text is read whole, and its words are counted now. */
const maxOldTexts = 1_000;

/** Too many memories are in reach, or too many of them had another text: only read models of that position can answer. */
export class TooLargeToScan extends Error {
  override readonly name = 'TooLargeToScan';
}

/** The vector of the query, and what embeds texts whose vectors are missing. */
interface ScanVector extends DenseQuery {
  readonly embedder: Embedder;
}

export interface ScanQuery extends CandidateQuery {
  readonly dense?: ScanVector | undefined;
}

/** A memory that meets the restrictions, with both signals; null where it has none. */
export interface ScannedMemory {
  readonly memory_id: string;
  readonly bm25: number | null;
  /** Cosine of the whole text. */
  readonly cosine: number | null;
  /** The nearest passage, if the text is long. */
  readonly nearest?: NearPassage | undefined;
  /** When it occurred, or was recorded if that is unknown. */
  readonly time: Date;
}

interface ScannedRow extends Omit<ScannedMemory, 'nearest'> {
  readonly passage: number | null;
  readonly passage_cosine: number | null;
  /** The text as it was, if the stored counts are of another text, or its vector is not stored. */
  readonly old_text: string | null;
}

/**
 * Looks at every memory that meets the restrictions, as it was at a position. Texts that have not changed have their counts
 * stored; words of old texts are counted now. Vectors of both are stored, except of texts that were replaced before they were
 * embedded: these are embedded now. Throws `TooLargeToScan` if there are too many.
 */
export async function scanAsOf(
  sql: Sql,
  view: ReadView,
  at: number,
  query: ScanQuery,
): Promise<readonly ScannedMemory[]> {
  const rows = await readRows(sql, view, at, query);
  if (rows.length > maxScanned) throw new TooLargeToScan();
  const old = rows.filter(({ old_text: text }) => text !== null);
  if (old.length > maxOldTexts) throw new TooLargeToScan();
  const { dense, weighted } = query;
  const cosines = dense ? await cosinesOf(old, dense, query.region.tenant) : new Map<ScannedRow, number>();
  return rows.map((row) => {
    const { memory_id, bm25, time, old_text: text, passage, passage_cosine: near } = row;
    const whole = cosines.get(row) ?? row.cosine;
    return {
      memory_id,
      time,
      bm25: text === null ? bm25 : bm25Of(text, weighted),
      cosine: whole,
      nearest: passage === null || near === null ? undefined : { passage, cosine: near },
    };
  });
}

/** Cosines of texts without a stored vector. No transaction is open meanwhile. */
async function cosinesOf(
  old: readonly ScannedRow[],
  { vector, embedder }: ScanVector,
  tenant: string,
): Promise<ReadonlyMap<ScannedRow, number>> {
  const lacking = old.filter(({ cosine }) => cosine === null);
  const outcomes = await embedEach(
    embedder,
    lacking.map(({ old_text: text }) => text!),
    'passage',
    tenant,
  );
  return new Map(
    lacking.flatMap((row, index) => {
      const own = vectorIn(outcomes[index]);
      return own ? [[row, dotProduct(own, vector)] as const] : [];
    }),
  );
}

function readRows(sql: Sql, view: ReadView, at: number, query: ScanQuery): Promise<ScannedRow[]> {
  const { region, weighted, dense } = query;
  const parameters = new Parameters();
  const lookup = lookupsOf(region.tenant, parameters);
  const allowed = allOf([
    regionCondition(region, 'm', parameters),
    wasActive('m', at, parameters),
    ...filterConditions(query, view, 'm', parameters),
  ]);
  const isSame = 'coalesce(t.body, t.shelved) = found.content';
  const words = lookup(
    `${isSame} as is_same, case when ${isSame} and ${hasTerms(view, weighted.terms, parameters)}
       then ${bm25Column(view, weighted, parameters)} end as bm25`,
    view.table('lexical'),
  );
  const meaning = dense ? cosineThen(dense, lookup, parameters) : '(select null::float8 as cosine)';
  const passages = dense?.passages
    ? nearestThen(dense.passages, dense.vector, region.tenant, parameters)
    : '(select null::integer as passage, null::float8 as cosine)';
  const known = `l.is_same ${dense ? 'and k.cosine is not null' : ''}`;
  return sql.queryAs<ScannedRow>(
    region.tenant,
    `select found.memory_id, found.time, l.bm25, k.cosine, p.passage, p.cosine as passage_cosine,
       case when not (${known}) then found.content end as old_text
     from (select m.memory_id, m.value->>'content' as content, coalesce(m.occurred_at, m.created_at) as time from ${view.table('memories')} m
       where ${allowed} limit ${maxScanned + 1}) found
     cross join ${words} l left join ${meaning} k on true left join ${passages} p on true`,
    parameters.values,
  );
}

/** SQL lookup of the cosine with the vector of the text as it was: today's text, or one that was superseded. */
function cosineThen(
  { vector, embedder }: ScanVector,
  lookup: ReturnType<typeof lookupsOf>,
  parameters: Parameters,
): string {
  const query = `${parameters.bind(vector)}::vector`;
  const from = (table: string, embedding: string) =>
    `select cosine from ${lookup(
      `-(${negativeCosine(embedding, query)}) as cosine`,
      table,
      `t.text_hash = ${textHashSql('found.content')}`,
    )}`;
  const { id } = embedder.model;
  return `lateral (${from(vectorTable(id), 'coalesce(t.embedding, t.shelved)')} k
    union all ${from(supersededVectorTable(id), 't.embedding')} k limit 1)`;
}

/** SQL lookup of the nearest passage of the text as it was. */
function nearestThen(table: string, vector: Float32Array, tenant: string, parameters: Parameters): string {
  const embedding = 'coalesce(p.embedding, p.shelved)';
  const negative = negativeCosine(embedding, `${parameters.bind(vector)}::vector`);
  return `lateral (select p.n as passage, -(${negative}) as cosine from ${table} p
    where p.tenant = ${parameters.bind(tenant)} and p.memory_id = found.memory_id
      and p.text_hash = ${textHashSql('found.content')} and ${embedding} is not null
    order by ${negative}, p.n limit 1)`;
}

/** BM25 as the database computes it (`bm25Column`). */
function bm25Of(text: string, weighted: WeightedTerms): number | null {
  const { counts: termFrequencies, length } = termCounts(text);
  const isLong = passagesOf(text).length > 0;
  const effective = isLong ? Math.min(length, TERMS_OF_PASSAGE) : length;
  return match(weighted, { termFrequencies, length: effective }).bm25 || null;
}
