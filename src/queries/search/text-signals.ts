import { BM25, type WeightedTerms } from '../../domain/ranking/bm25.ts';
import type { TermSignal, Words } from '../../ports/word-index.ts';
import type { Parameters } from '../sql-builder.ts';

/** What the lexical read model tells of a memory. */
export interface TextSignal extends TermSignal {
  /** Whether it is a turn of a session. */
  readonly is_turn: boolean;
  readonly speaker: string | null;
  readonly occurred_at: Date | null;
}

/** Columns of a `TermSignal`, of the table `t`. */
export function termColumns(terms: readonly string[], parameters: Parameters): string {
  const wanted = parameters.bind([...terms]);
  // Most texts have none of the terms: to see that is cheap, to unpack the counts for each term is not.
  return `t.length, case when t.counts ?| ${wanted}::text[]
      then array(select coalesce((t.counts ->> term)::integer, 0) from unnest(${wanted}::text[]) term)
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
  terms: readonly string[],
  words: Words | undefined,
  parameters: Parameters,
): string {
  const counts = words ? untold : termColumns(terms, parameters);
  return `${counts}, t.session_key is not null as is_turn,
    coalesce(t.attributed, t.labelled) as speaker, t.occurred_at`;
}

/** `match(…).bm25` of the ranking, of the table `t`; null where it has none of the terms. */
export function bm25Column({ terms, weights }: WeightedTerms, parameters: Parameters): string {
  const bound = `${parameters.bind([...terms])}::text[], ${parameters.bind([...weights])}::float8[]`;
  return `(select sum(w.weight * c.frequency / (c.frequency + t.length / ${BM25.pivotLength.toFixed(1)}))
    from unnest(${bound}) as w(term, weight)
    cross join lateral (select (t.counts ->> w.term)::float8 as frequency) c where c.frequency > 0)`;
}
