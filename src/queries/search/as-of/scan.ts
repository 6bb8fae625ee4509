import { match, type WeightedTerms } from '../../../domain/ranking/bm25.ts';
import { isWithin, type AskedTimes } from '../../../domain/ranking/dates.ts';
import { Problem } from '../../../domain/problems.ts';
import { supersededVectorTable, vectorTable } from '../../../read-models/vectors/tables.ts';
import { termCounts } from '../../../domain/text/tokens.ts';
import type { Embedder } from '../../../ports/embedder.ts';
import type { Sql } from '../../../ports/sql.ts';
import { textHashSql } from '../../../support/text-hash.ts';
import type { ReadView } from '../../read-models.ts';
import { regionCondition } from '../../scope-sql.ts';
import { allOf, Parameters } from '../../sql-builder.ts';
import { perEngineWithin } from '../asked-times.ts';
import { filterConditions } from '../filter-join.ts';
import { lookupsOf } from '../lookups.ts';
import type { Reach } from '../pool.ts';
import { bm25Column, hasTerms } from '../text-signals.ts';
import { negativeCosine } from '../vectors.ts';
import { wasActive } from './was-active.ts';

/** The most memories that a search looks at one by one as they were. */
const mostScanned = 10_000;
/** The most of them whose text has changed since: it is read whole, and its words are counted now. */
const mostOldTexts = 1_000;

export interface AsOfRequest extends Reach {
  /** A position: memories as they were when the log had reached it. */
  readonly at: number;
  readonly weighted: WeightedTerms;
  /** The query's vector, and the model that made it. */
  readonly dense?: { readonly vector: Float32Array; readonly embedder: Embedder } | undefined;
}

/** A memory in reach with both signals, each null where it has none. */
interface Signals {
  readonly memory_id: string;
  readonly bm25: number | null;
  readonly cosine: number | null;
  /** When it occurred, or was recorded if it does not tell. */
  readonly time: Date;
}

interface ScannedRow extends Signals {
  /** The text as it was, where the words of another one are counted, or its vector is not kept. */
  readonly old_text: string | null;
}

/** Whatever is in reach. */
export type Scanned = readonly Signals[];

/** Cosines of what is among the best by meaning or by words; null where there is no vector of the query. */
export type Found = ReadonlyMap<string, number | null>;

/**
 * Looks at every memory in reach as it was. Texts of today have their counts, the words of others are counted now; vectors
 * are kept of both, but for a text that was replaced before it had one, which is embedded now. Throws
 * `as-of-scope-too-large` where that would be too many.
 */
export async function scanAsOf(sql: Sql, view: ReadView, request: AsOfRequest): Promise<Scanned> {
  const rows = await readRows(sql, view, request);
  if (rows.length > mostScanned) throw tooLarge(mostScanned, 'memories are in reach');
  const old = rows.filter(({ old_text: text }) => text !== null);
  if (old.length > mostOldTexts)
    throw tooLarge(mostOldTexts, 'of the memories in reach had another text then');
  const { dense, weighted } = request;
  const cosines = dense ? await cosinesOf(old, dense) : new Map<ScannedRow, number>();
  return rows.map((row) => {
    const { memory_id, bm25, cosine, time, old_text: text } = row;
    return {
      memory_id,
      time,
      bm25: text === null ? bm25 : bm25Of(text, weighted),
      cosine: cosines.get(row) ?? cosine,
    };
  });
}

/** Of texts without a vector. No transaction is held meanwhile. */
async function cosinesOf(
  old: readonly ScannedRow[],
  { vector, embedder }: NonNullable<AsOfRequest['dense']>,
): Promise<ReadonlyMap<ScannedRow, number>> {
  const lacking = old.filter(({ cosine }) => cosine === null);
  const vectors = await embedder.embed(
    lacking.map(({ old_text: text }) => text!),
    'passage',
  );
  return new Map(lacking.map((row, index) => [row, dot(vectors[index]!, vector)]));
}

/** The best `count` by each signal, and of what lies in the periods asked about. */
export function bestOf(signals: Scanned, count: number, times: AskedTimes): Found {
  const cosines = new Map(signals.map(({ memory_id, cosine }) => [memory_id, cosine]));
  const within = times.periods.length > 0 ? signals.filter(({ time }) => isWithin(time, times)) : [];
  const best = [
    ...bestBy(signals, ({ cosine }) => cosine, count),
    ...bestBy(signals, ({ bm25 }) => bm25, count),
    ...bestBy(within, ({ cosine }) => cosine, perEngineWithin),
    ...bestBy(within, ({ bm25 }) => bm25, perEngineWithin),
  ];
  return new Map(best.map(({ memory_id: id }) => [id, cosines.get(id) ?? null]));
}

function readRows(sql: Sql, view: ReadView, request: AsOfRequest): Promise<ScannedRow[]> {
  const { region, at, weighted, dense } = request;
  const parameters = new Parameters();
  const lookup = lookupsOf(region.tenant, parameters);
  const inReach = allOf([
    regionCondition(region, 'm', parameters),
    wasActive('m', at, parameters),
    ...filterConditions(request, view, 'm', parameters),
  ]);
  const isSame = 'coalesce(t.body, t.shelved) = found.content';
  const words = lookup(
    `${isSame} as is_same, case when ${isSame} and ${hasTerms(view, weighted.terms, parameters)}
       then ${bm25Column(view, weighted, parameters)} end as bm25`,
    view.table('lexical'),
  );
  const meaning = dense ? cosineThen(dense, lookup, parameters) : '(select null::float8 as cosine)';
  const known = `l.is_same ${dense ? 'and k.cosine is not null' : ''}`;
  return sql.queryAs<ScannedRow>(
    region.tenant,
    `select found.memory_id, found.time, l.bm25, k.cosine, case when not (${known}) then found.content end as old_text
     from (select m.memory_id, m.value->>'content' as content, coalesce(m.occurred_at, m.created_at) as time from ${view.table('memories')} m
       where ${inReach} limit ${mostScanned + 1}) found
     cross join ${words} l left join ${meaning} k on true`,
    parameters.values,
  );
}

/** The cosine with the vector of the text as it was, be it that of today or one that was superseded. */
function cosineThen(
  { vector, embedder }: NonNullable<AsOfRequest['dense']>,
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

function bm25Of(text: string, weighted: WeightedTerms): number | null {
  const { counts: termFrequencies, length } = termCounts(text);
  return match(weighted, { termFrequencies, length }).bm25 || null;
}

/** Of unit vectors the cosine. */
function dot(left: Float32Array, right: Float32Array): number {
  return left.reduce((sum, value, index) => sum + value * right[index]!, 0);
}

function bestBy<Item>(
  items: readonly Item[],
  value: (item: Item) => number | null,
  count: number,
): readonly Item[] {
  return items
    .filter((item) => value(item) !== null)
    .sort((left, right) => value(right)! - value(left)!)
    .slice(0, count);
}

function tooLarge(most: number, which: string): Problem {
  const what = `more than ${most.toLocaleString('en-US')} ${which}`;
  return new Problem('as-of-scope-too-large', `asOf: ${what}`, {
    errors: [{ path: 'asOf', message: what }],
  });
}
