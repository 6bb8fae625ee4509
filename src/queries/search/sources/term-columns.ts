import { TERMS_OF_PASSAGE } from '../../../domain/ranking/best-passage.ts';
import { BM25, type WeightedTerms } from '../../../domain/ranking/bm25.ts';
import { usesWordsInMemory } from '../../../read-models/lexical/variant.ts';
import type { TermSignal, Words } from '../../../ports/word-index.ts';
import type { ReadView } from '../../read-models.ts';
import type { Parameters } from '../../sql-builder.ts';

const effectiveLength = `(case when t.passage_lengths is null then t.length else least(t.length, ${TERMS_OF_PASSAGE}) end)`;

/**
 * SQL for how often a row of the lexical read model's table `t` contains a term, as text; null if it does not. Counts that are
 * stored as text, `{"green":1,"tea":2}`, are searched and not parsed: parsing takes as long for one term as for all of them.
 */
function frequencyOf(view: ReadView, term: string): string {
  return usesWordsInMemory(view.signature('lexical'))
    ? `nullif(rtrim(split_part(split_part(t.counts::text, '"' || ${term} || '":', 2), ',', 1), '}'), '')`
    : `t.counts ->> ${term}`;
}

/**
 * SQL for an array with one element for each term: the passages of the row's text that contain it (`PassageTerms.places`), null if
 * none does.
 */
export function placesColumn(view: ReadView, terms: readonly string[], parameters: Parameters): string {
  const places = usesWordsInMemory(view.signature('lexical'))
    ? `nullif(split_part(split_part(t.passage_terms::text, '"' || term || '":"', 2), '"', 1), '')`
    : 't.passage_terms ->> term';
  return `array(select ${places} from unnest(${parameters.bind([...terms])}::text[]) term)`;
}

/** SQL for whether a row of that table contains any of the terms. Most texts contain none, which is cheap to find out. */
export function hasTerms(view: ReadView, terms: readonly string[], parameters: Parameters): string {
  return usesWordsInMemory(view.signature('lexical'))
    ? `exists (select from unnest(${parameters.bind(terms.map((term) => `"${term}":`))}::text[]) name where strpos(t.counts::text, name) > 0)`
    : `t.counts ?| ${parameters.bind([...terms])}::text[]`;
}

/** Columns of a `TermSignal`, from the table `t`. */
export function termColumns(view: ReadView, terms: readonly string[], parameters: Parameters): string {
  const wanted = `unnest(${parameters.bind([...terms])}::text[]) term`;
  return `t.length, case when ${hasTerms(view, terms, parameters)}
      then array(select coalesce((${frequencyOf(view, 'term')})::integer, 0) from ${wanted})
      else '{}'::integer[] end as frequencies`;
}

/** The columns of `termColumns` without values: `withTermSignals` fills them from RAM. */
export const emptyTermColumns = 'null::integer as length, null::integer[] as frequencies';

/** The rows with the `TermSignal` of the memory that `idOf` names; null if `words` does not contain it. */
export function withTermSignals<Row extends object>(
  rows: readonly Row[],
  idOf: (row: Row) => string,
  terms: readonly string[],
  words: Words,
): (Row & { readonly [Key in keyof TermSignal]: TermSignal[Key] | null })[] {
  const signals = words.signals(terms, rows.map(idOf));
  return rows.map((row, at) => ({ ...row, ...(signals[at] ?? { length: null, frequencies: null }) }));
}

/**
 * `match(…).bm25` of the ranking as a column of the table `t`; null if it contains none of the terms. For a long text it is an upper
 * bound of that of its best passage: all its words count as if they stood in one.
 */
export function bm25Column(
  view: ReadView,
  { terms, weights }: WeightedTerms,
  parameters: Parameters,
): string {
  const bound = `${parameters.bind([...terms])}::text[], ${parameters.bind([...weights])}::float8[]`;
  return `(select sum(w.weight * c.frequency / (c.frequency + ${effectiveLength} / ${BM25.pivotLength.toFixed(1)}))
    from unnest(${bound}) as w(term, weight)
    cross join lateral (select (${frequencyOf(view, 'w.term')})::float8 as frequency) c where c.frequency > 0)`;
}
