import { BM25, type WeightedTerms } from '../../domain/ranking/bm25.ts';
import type { TermSignal, Words } from '../../ports/word-index.ts';
import { usesWordsInMemory } from '../../read-models/lexical/variant.ts';
import type { ReadView } from '../read-models.ts';
import type { Parameters } from '../sql-builder.ts';

/** What the lexical read model tells of a memory. */
export interface TextSignal extends TermSignal {
  /** Whether it is a turn of a session. */
  readonly is_turn: boolean;
  readonly speaker: string | null;
  readonly occurred_at: Date | null;
}

/**
 * How often a row of the lexical read model's table `t` holds a term, as text; null where it does not. Counts that are kept as text,
 * `{"green":1,"tea":2}`, are not taken apart for it: that would take as long for one term as for all of them.
 */
function frequencyOf(view: ReadView, term: string): string {
  return usesWordsInMemory(view.signature('lexical'))
    ? `nullif(rtrim(split_part(split_part(t.counts::text, '"' || ${term} || '":', 2), ',', 1), '}'), '')`
    : `t.counts ->> ${term}`;
}

/** Whether a row of that table has one of the terms. Most texts have none: to see that is cheap. */
export function hasTerms(view: ReadView, terms: readonly string[], parameters: Parameters): string {
  return usesWordsInMemory(view.signature('lexical'))
    ? `exists (select from unnest(${parameters.bind(terms.map((term) => `"${term}":`))}::text[]) name where strpos(t.counts::text, name) > 0)`
    : `t.counts ?| ${parameters.bind([...terms])}::text[]`;
}

/** Columns of a `TermSignal`, of the table `t`. */
export function termColumns(view: ReadView, terms: readonly string[], parameters: Parameters): string {
  const wanted = `unnest(${parameters.bind([...terms])}::text[]) term`;
  return `t.length, case when ${hasTerms(view, terms, parameters)}
      then array(select coalesce((${frequencyOf(view, 'term')})::integer, 0) from ${wanted})
      else '{}'::integer[] end as frequencies`;
}

/** Columns of a `TermSignal` that is told from memory. */
export const untold = 'null::integer as length, null::integer[] as frequencies';

/** Rows with the `TermSignal` that `words` tell of the memory named by `idOf`, null where it is not there. */
export function told<Row extends object>(
  rows: readonly Row[],
  idOf: (row: Row) => string,
  terms: readonly string[],
  words: Words,
): (Row & { readonly [Key in keyof TermSignal]: TermSignal[Key] | null })[] {
  const signals = words.signals(terms, rows.map(idOf));
  return rows.map((row, at) => ({ ...row, ...(signals[at] ?? { length: null, frequencies: null }) }));
}

/** Columns of a `TextSignal`, of the table `t`; those of a `TermSignal` are null where `words` tell them. */
export function textColumns(
  view: ReadView,
  terms: readonly string[],
  words: Words | undefined,
  parameters: Parameters,
): string {
  const counts = words ? untold : termColumns(view, terms, parameters);
  return `${counts}, t.session_key is not null as is_turn,
    coalesce(t.attributed, t.labelled) as speaker, t.occurred_at`;
}

/** `match(…).bm25` of the ranking, of the table `t`; null where it has none of the terms. */
export function bm25Column(
  view: ReadView,
  { terms, weights }: WeightedTerms,
  parameters: Parameters,
): string {
  const bound = `${parameters.bind([...terms])}::text[], ${parameters.bind([...weights])}::float8[]`;
  return `(select sum(w.weight * c.frequency / (c.frequency + t.length / ${BM25.pivotLength.toFixed(1)}))
    from unnest(${bound}) as w(term, weight)
    cross join lateral (select (${frequencyOf(view, 'w.term')})::float8 as frequency) c where c.frequency > 0)`;
}
