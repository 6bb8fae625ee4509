import type { Region } from '../../domain/access/region.ts';
import type { WeightedTerms } from '../../domain/ranking/bm25.ts';
import type { Words } from '../../ports/word-index.ts';
import type { ReadView } from '../read-models.ts';
import type { Parameters } from '../sql-builder.ts';
import { lookupsOf } from './lookups.ts';
import { textColumns, type TextSignal } from './text-signals.ts';
import { negativeCosine } from './vectors.ts';

/** What a query is compared with, by words and by meaning. */
export interface Compared {
  readonly region: Region;
  /** The query's terms, with what each is worth in the tenant. */
  readonly weighted: WeightedTerms;
  /** The words of the tenant, where they are kept in memory: they tell how often a memory holds each term. */
  readonly wordsInMemory?: Words | undefined;
  /** The query's vector and the table that keeps vectors of its model; undefined where there is none. */
  readonly dense?: DenseQuery | undefined;
}

export interface DenseQuery {
  readonly vector: Float32Array;
  readonly table: string;
  /** Whether all vectors are compared, and no index of the database is asked. */
  readonly exact: boolean;
}

/** A memory that an engine found. Without its text it is not there for a search: deleted, or not indexed yet. */
export interface EngineHit extends Nullable<TextSignal> {
  readonly memory_id: string;
  /** Null where the memory has no vector. */
  readonly cosine: number | null;
}

type Nullable<T> = { readonly [Key in keyof T]: T[Key] | null };

/**
 * Lookups of what an engine did not compare itself, for each memory that it found: so one statement tells both signals, and
 * no other has to follow.
 */
export function otherSignal(
  view: ReadView,
  { region, weighted, wordsInMemory, dense }: Compared,
  parameters: Parameters,
) {
  return {
    /** Columns of a `TextSignal`. */
    words: (of: string) =>
      lookupsOf(region.tenant, parameters)(
        textColumns(view, weighted.terms, wordsInMemory, parameters),
        view.table('lexical'),
        't.body is not null',
        of,
      ),
    /** The column `cosine`. Nothing may be bound that no statement names. */
    meaning: (of: string) =>
      dense
        ? lookupsOf(region.tenant, parameters)(
            `-(${negativeCosine('t.embedding', `${parameters.bind(dense.vector)}::vector`)}) as cosine`,
            dense.table,
            't.embedding is not null',
            of,
          )
        : '(select null::float8 as cosine)',
  };
}
