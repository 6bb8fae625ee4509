import { countedParts, partOf } from '../../../domain/access/counted-parts.ts';
import type { Region } from '../../../domain/access/region.ts';
import type { Layer } from '../../../domain/layers.ts';
import { separatedText } from '../../../domain/memory/searched-text.ts';
import { searchedTerms } from '../../../domain/memory/searched-terms.ts';
import type { TermStatistics } from '../../../domain/ranking/bm25.ts';
import { joinedTextSql } from '../../../read-models/vectors/representations.ts';
import type { SqlExecutor } from '../../../ports/sql.ts';
import type { ReadView } from '../../read-models.ts';
import { scopeIn } from '../../scope-sql.ts';
import { Parameters } from '../../sql-builder.ts';
import { lookupsOf } from '../lookups.ts';
import { termColumns } from '../sources/term-columns.ts';
import { wasActive } from './was-active.ts';

/** Maximum number of memories that have changed since. */
const maxChanged = 5_000;
/** How many of them may have another text by now: its words are counted here. */
const maxOldTexts = 1_000;
/** Terms of a question beyond this number hardly move each other's share of the score. */
const maxTerms = 128;

/** Columns that say which part of the tenant a memory is in. */
const scopeColumns = ['layer', 'user_id', 'session', 'agent'];

interface ChangedMemory extends Record<string, unknown> {
  readonly layer: Layer;
  readonly was_counted: boolean;
  /** Whether today's statistics include the stored text. */
  readonly is_counted: boolean;
  /** How often the stored text has each term; empty if it has none. */
  readonly frequencies: readonly number[] | null;
  /** The text as it was, if it is not the stored one. */
  readonly old_text: string | null;
}

/**
 * How rare each term was at a position among the memories that count for the caller: today's statistics without what came later, and with
 * what has gone since. If too much has changed, or the question has too many terms, these are today's statistics.
 */
export async function statisticsThen(
  tx: SqlExecutor,
  view: ReadView,
  { tenant, visibility }: Pick<Region, 'tenant' | 'visibility'>,
  at: number,
  terms: readonly string[],
  today: TermStatistics,
): Promise<TermStatistics> {
  const distinct = [...new Set(terms)];
  if (distinct.length === 0 || distinct.length > maxTerms) return today;
  const parts = countedParts(visibility);
  const counts = (row: ChangedMemory) =>
    parts === 'all' || parts.includes(partOf({ layer: row.layer, scope: scopeIn(row) }));
  const all = await readChanged(tx, view, tenant, at, distinct);
  const changed = all.filter(counts);
  const old = changed.filter(({ old_text: text }) => text !== null);
  if (all.length > maxChanged || old.length > maxOldTexts) return today;
  const documentFrequency = new Map(today.documentFrequency);
  let { documents } = today;
  const add = (sign: 1 | -1, has: (term: string, index: number) => boolean) => {
    documents += sign;
    for (const [index, term] of distinct.entries())
      if (has(term, index)) documentFrequency.set(term, (documentFrequency.get(term) ?? 0) + sign);
  };
  for (const { was_counted, is_counted, frequencies, old_text: text } of changed) {
    const isStored = (_: string, index: number) => (frequencies?.[index] ?? 0) > 0;
    if (is_counted) add(-1, isStored);
    if (!was_counted) continue;
    const counts = text === null ? undefined : searchedTerms(separatedText(text)).counts;
    add(1, counts ? (term) => counts.has(term) : isStored);
  }
  return { documents, documentFrequency };
}

/**
 * The memories with a version from after the position, whose statistics may be others than then. What counts today is read
 * from the model that has the statistics, which may be ahead of the memories or behind them.
 */
function readChanged(
  tx: SqlExecutor,
  view: ReadView,
  tenant: string,
  at: number,
  terms: readonly string[],
): Promise<ChangedMemory[]> {
  const parameters = new Parameters();
  const [own, position] = [parameters.bind(tenant), parameters.bind(at)];
  const lookup = lookupsOf(tenant, parameters);
  const [memories, lexical] = [view.table('memories'), view.table('lexical')];
  const placement = scopeColumns.map((name) => `t.${name}`).join(', ');
  const version = lookup(
    `${joinedTextSql('t.value')} as content, ${placement}`,
    memories,
    wasActive('t', at, parameters),
  );
  const words = lookup(
    `${placement}, t.body is not null as is_counted, coalesce(t.body, t.shelved) as text, ${termColumns(view, terms, parameters)}`,
    lexical,
  );
  return tx.query<ChangedMemory>(
    `select v.content is not null as was_counted, coalesce(w.is_counted, false) as is_counted, w.frequencies,
       ${scopeColumns.map((name) => `coalesce(v.${name}, w.${name}) as ${name}`).join(', ')},
       case when v.content is distinct from w.text then v.content end as old_text
     from (
       select memory_id from ${memories} where tenant = ${own} and (from_position > ${position} or to_position > ${position})
       union select memory_id from ${lexical} where tenant = ${own} and position > ${position}
       limit ${maxChanged + 1}) found
     left join ${version} v on true left join ${words} w on true`,
    parameters.values,
  );
}
