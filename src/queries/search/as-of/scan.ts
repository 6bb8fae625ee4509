import { dotProduct } from '../../../domain/dot-product.ts';
import { TERMS_OF_PASSAGE } from '../../../domain/ranking/best-passage.ts';
import { match, type WeightedTerms } from '../../../domain/ranking/bm25.ts';
import { searchedPassages, separatedText } from '../../../domain/memory/searched-text.ts';
import { searchedTerms } from '../../../domain/memory/searched-terms.ts';
import {
  areRepresentations,
  joinedTextSql,
  representationsHashSql,
} from '../../../read-models/vectors/representations.ts';
import { supersededVectorTable, vectorTable } from '../../../read-models/vectors/tables.ts';
import { embedEach, vectorIn, type Embedder } from '../../../ports/embedder.ts';
import type { Sql, SqlExecutor, SqlValue } from '../../../ports/sql.ts';
import type { TermSignal, Words } from '../../../ports/word-index.ts';
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
  /** The words of today's texts in a transaction, if they are kept in RAM: the database need not look for them. */
  readonly wordsIn?: ((tx: SqlExecutor) => Promise<Words | undefined>) | undefined;
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
  /** Whether its words are those that are kept in RAM. */
  readonly in_memory: boolean;
  /** Whether the text has passages. */
  readonly is_long: boolean;
  readonly passage: number | null;
  readonly passage_cosine: number | null;
  /** The text as it was (`joinedText`), if the stored counts are of another text, or its vector is not stored. */
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
  const { rows, signals } = await readRows(sql, view, at, query);
  if (rows.length > maxScanned) throw new TooLargeToScan();
  const old = rows.filter(({ old_text: text }) => text !== null);
  if (old.length > maxOldTexts) throw new TooLargeToScan();
  const { dense, weighted } = query;
  const cosines = dense ? await cosinesOf(old, dense, query.region.tenant) : new Map<ScannedRow, number>();
  return rows.map((row, index) => {
    const { memory_id, time, passage, passage_cosine: near } = row;
    return {
      memory_id,
      time,
      bm25: bm25Then(row, signals?.[index], weighted),
      cosine: cosines.get(row) ?? row.cosine,
      nearest: passage === null || near === null ? undefined : { passage, cosine: near },
    };
  });
}

/** BM25 as the database computes it (`bm25Column`): of the text as it was, of what is kept in RAM, or as read. */
function bm25Then(row: ScannedRow, signal: TermSignal | undefined, weighted: WeightedTerms): number | null {
  const { old_text: text, in_memory: isInMemory, is_long: isLong, bm25 } = row;
  if (text !== null) {
    const then = separatedText(text);
    const { counts, length } = searchedTerms(then);
    return bm25Of(weighted, counts, length, searchedPassages(then).length > 0);
  }
  if (!isInMemory) return bm25;
  if (!signal) return null;
  const { length, frequencies } = signal;
  const counts = new Map(weighted.terms.map((term, index) => [term, frequencies[index] ?? 0]));
  return bm25Of(weighted, counts, length, isLong);
}

function bm25Of(
  weighted: WeightedTerms,
  termFrequencies: ReadonlyMap<string, number>,
  length: number,
  isLong: boolean,
): number | null {
  const effective = isLong ? Math.min(length, TERMS_OF_PASSAGE) : length;
  return match(weighted, { termFrequencies, length: effective }).bm25 || null;
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
    lacking.map(({ old_text: text }) => separatedText(text!).content),
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

interface Read {
  readonly rows: readonly ScannedRow[];
  /** What is kept in RAM of the words of each row, if they are. */
  readonly signals: readonly (TermSignal | undefined)[] | undefined;
}

function readRows(sql: Sql, view: ReadView, at: number, query: ScanQuery): Promise<Read> {
  const { region, weighted, wordsIn } = query;
  return sql.transaction(
    async (tx) => {
      const words = await wordsIn?.(tx);
      const { text, values } = statementOf(view, at, query, words !== undefined);
      const rows = await tx.query<ScannedRow>(text, values);
      const ids = rows.map(({ memory_id: id }) => id);
      return { rows, signals: words?.signals(weighted.terms, ids) };
    },
    { tenant: region.tenant, readOnly: true },
  );
}

/** `areInMemory`: the words of active memories are not read. */
function statementOf(
  view: ReadView,
  at: number,
  query: ScanQuery,
  areInMemory: boolean,
): { readonly text: string; readonly values: readonly SqlValue[] } {
  const { region, weighted, dense } = query;
  const parameters = new Parameters();
  const lookup = lookupsOf(region.tenant, parameters);
  const allowed = allOf([
    regionCondition(region, 'm', parameters),
    wasActive('m', at, parameters),
    ...filterConditions(query, view, 'm', parameters),
  ]);
  const isSame = 'coalesce(t.body, t.shelved) = found.content';
  const isCounted = allOf([
    isSame,
    ...(areInMemory ? ['t.body is null'] : []),
    hasTerms(view, weighted.terms, parameters),
  ]);
  const words = lookup(
    `${isSame} as is_same, ${areInMemory ? 't.body is not null' : 'false'} as in_memory, t.passage_lengths is not null as is_long,
       case when ${isCounted} then ${bm25Column(view, weighted, parameters)} end as bm25`,
    view.table('lexical'),
  );
  const meaning = dense ? cosineThen(dense, lookup, parameters) : '(select null::float8 as cosine)';
  const passages = dense?.passages
    ? nearestThen(dense.passages, dense.vector, region.tenant, parameters)
    : '(select null::integer as passage, null::float8 as cosine)';
  const known = `l.is_same ${dense ? 'and k.cosine is not null' : ''}`;
  const hash = dense ? textHashSql(`(m.value->>'content')`) : 'null';
  const others = dense?.passages ? representationsHashSql('m.value') : 'null';
  const text = `select found.memory_id, found.time, l.bm25, l.in_memory, l.is_long, k.cosine, p.passage, p.cosine as passage_cosine,
       case when not (${known}) then found.content end as old_text
     from (select m.memory_id, ${joinedTextSql('m.value')} as content, ${hash} as hash, ${others} as others, coalesce(m.occurred_at, m.created_at) as time
       from ${view.table('memories')} m where ${allowed} limit ${maxScanned + 1}) found
     cross join ${words} l left join ${meaning} k on true left join ${passages} p on true`;
  return { text, values: parameters.values };
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
      't.text_hash = found.hash',
    )}`;
  const { id } = embedder.model;
  return `lateral (${from(vectorTable(id), 'coalesce(t.embedding, t.shelved)')} k
    union all ${from(supersededVectorTable(id), 't.embedding')} k limit 1)`;
}

/** SQL lookup of the nearest passage of the text as it was. Nothing is read for a text that is still the same and has none. */
function nearestThen(table: string, vector: Float32Array, tenant: string, parameters: Parameters): string {
  const embedding = 'coalesce(p.embedding, p.shelved)';
  const negative = negativeCosine(embedding, `${parameters.bind(vector)}::vector`);
  return `lateral (select p.n as passage, -(${negative}) as cosine from ${table} p
    where p.tenant = ${parameters.bind(tenant)} and p.memory_id = found.memory_id
      and (p.text_hash = found.hash or ${areRepresentations('p', 'found.others')}) and ${embedding} is not null
      and (l.is_long or not l.is_same)
    order by ${negative}, p.n limit 1)`;
}
