import type { Parameters } from '../../sql-builder.ts';
import { lookupsOf } from '../lookups.ts';
import type { CandidateQuery, Hit } from './candidate-source.ts';
import type { SourceContext } from './context.ts';
import { emptyTermColumns, termColumns, withTermSignals } from './term-columns.ts';

/**
 * SQL for the negative cosine of two vectors. All embedders return unit vectors, whose inner product is the cosine at a third of
 * the arithmetic; `<#>` is its negative. No index supports it: ordering by it compares every vector.
 */
export function negativeCosine(embedding: string, vector: string): string {
  return `${embedding} <#> ${vector}`;
}

/** SQL for the number of passages whose terms are counted; null for a short text. */
const passageCount = `char_length(t.passage_lengths) - char_length(replace(t.passage_lengths, ' ', '')) + 1`;

/** Columns of a `TextSignal`, from the table `t`; the term counts are empty if they come from RAM. */
export function textColumns(
  { view, words }: SourceContext,
  { weighted }: CandidateQuery,
  parameters: Parameters,
): string {
  const counts = words ? emptyTermColumns : termColumns(view, weighted.terms, parameters);
  return `${counts}, t.session_key is not null as is_turn, ${passageCount} as passages,
    coalesce(t.attributed, t.labelled) as speaker, t.occurred_at`;
}

/**
 * SQL lookups of the signal that a source did not compute itself, for each memory that it found: one statement then returns
 * both signals, and no other has to follow.
 */
export function otherSignal(context: SourceContext, query: CandidateQuery, parameters: Parameters) {
  const { dense, region } = query;
  // Made where it is used: PostgreSQL rejects a bound parameter that the statement does not name.
  const lookup = () => lookupsOf(region.tenant, parameters);
  return {
    /** Columns of a `TextSignal`. */
    words: (of: string) =>
      lookup()(
        textColumns(context, query, parameters),
        context.view.table('lexical'),
        't.body is not null',
        of,
      ),
    /** The column `cosine`; null if it comes from RAM. */
    meaning: (of: string) =>
      dense && !context.vectors
        ? lookup()(
            `-(${negativeCosine('t.embedding', `${parameters.bind(dense.vector)}::vector`)}) as cosine`,
            dense.table,
            't.embedding is not null',
            of,
          )
        : '(select null::float8 as cosine)',
  };
}

/** Adds the signals that come from RAM. */
export function withResidentSignals(
  { words, vectors }: SourceContext,
  { weighted, dense }: CandidateQuery,
  rows: readonly Hit[],
): readonly Hit[] {
  const hits = words ? withTermSignals(rows, (row) => row.memory_id, weighted.terms, words) : rows;
  if (!vectors || !dense) return hits;
  const cosines = vectors.cosines(
    dense.vector,
    hits.map((hit) => hit.memory_id),
  );
  return hits.map((hit, index) => ({ ...hit, cosine: hit.cosine ?? cosines[index]! }));
}
