import type { Filter } from '../../domain/filter.ts';
import { exactScanLimit, inDatabaseLimit } from '../../domain/retrieval/exact-scan-limit.ts';
import { indexesTerms, usesLexicalIndex, usesWordsInMemory } from '../../read-models/lexical/variant.ts';
import type { LexicalIndex } from '../../ports/lexical-index.ts';
import type { Sql } from '../../ports/sql.ts';
import type { VectorIndex } from '../../ports/vector-index.ts';
import type { WordIndex, WordSet } from '../../ports/word-index.ts';
import type { ReadView } from '../read-models.ts';
import type { Query } from './query.ts';
import type { WordLookup } from './sources/choose-sources.ts';
import { LexicalIndexSearch } from './sources/lexical-index-search.ts';
import { periodFilter } from './sources/in-periods.ts';
import { findPrefilterSet, type PrefilterSet } from './sources/prefilter-set.ts';

/** Indexes that find memories outside of the database. */
export interface SearchIndexes {
  /** Finds words if the live read model keeps its documents there. */
  readonly lexical?: LexicalIndex | undefined;
  /** Keeps words in RAM, if the live read model has no index of them. */
  readonly words?: WordIndex | undefined;
  /** Keeps vectors in RAM. */
  readonly vectors?: VectorIndex | undefined;
}

/** What is known of a search before its transaction begins, without the query's vector. */
export interface PreparedSearch {
  readonly view: ReadView;
  /** The memories that the restrictions allow, if those are few. */
  readonly set?: PrefilterSet | undefined;
  /** The periods that the question names. */
  readonly inPeriods?: { readonly filter: Filter; readonly set?: PrefilterSet | undefined } | undefined;
  readonly words: WordLookup;
}

/**
 * The database and the indexes beside it. Only this file and `sources/` depend on where words and vectors are kept.
 */
export class SearchEngines {
  readonly sql: Sql;
  readonly words: WordIndex | undefined;
  readonly vectors: VectorIndex | undefined;
  readonly #lexical: LexicalIndexSearch | undefined;

  constructor(sql: Sql, { lexical, words, vectors }: SearchIndexes) {
    this.sql = sql;
    this.words = words;
    this.vectors = vectors;
    this.#lexical = lexical && new LexicalIndexSearch(sql, lexical);
  }

  /** Counts the memories that the restrictions allow, and searches words outside of the database. Must not run inside a transaction. */
  async prepare(view: ReadView, query: Query): Promise<PreparedSearch> {
    if (query.seesNothing) return { view, words: { in: 'nowhere' } };
    const { restrictions, times } = query;
    const filter = periodFilter(times, restrictions.filter);
    const scanLimit = this.vectors ? inDatabaseLimit : exactScanLimit;
    const [set, periodSet] = await Promise.all([
      findPrefilterSet(this.sql, view, restrictions, scanLimit),
      filter && findPrefilterSet(this.sql, view, { ...restrictions, filter }, scanLimit),
    ]);
    const inPeriods = filter && { filter, set: periodSet };
    // If each text of a set is scored by its row, no index is needed. Words in RAM are, because only they say how rare a word is.
    const isScoredByRows = set?.hasFewTexts && !usesWordsInMemory(view.signature('lexical'));
    const words: WordLookup =
      query.terms.length === 0 || isScoredByRows
        ? { in: 'nowhere' }
        : await this.findWords(view, query, query.limit);
    return { view, set, inPeriods, words };
  }

  /** Searches words outside of the database, if they are kept there. Must not run inside a transaction. */
  async findWords(view: ReadView, query: Query, limit: number): Promise<WordLookup> {
    const signature = view.signature('lexical');
    const { restrictions, lexicalText, terms } = query;
    if (usesWordsInMemory(signature)) return this.residentWords(view, restrictions.region.tenant);
    if (!usesLexicalIndex(signature)) return { in: 'database' };
    const text = indexesTerms(signature) ? terms.join(' ') : lexicalText;
    const ids = await this.#lexical?.find(view, { ...restrictions, text }, limit);
    return ids ? { in: 'index', ids } : { in: 'unavailable' };
  }

  /** Loads the tenant's words into RAM if they are not there. Must not run inside a transaction. */
  async residentWords(
    view: ReadView,
    tenant: string,
  ): Promise<{ readonly in: 'ram'; readonly set: WordSet } | { readonly in: 'unavailable' }> {
    const set: WordSet = { tenant, table: view.table('lexical') };
    return (await this.words?.ready(set)) ? { in: 'ram', set } : { in: 'unavailable' };
  }
}
