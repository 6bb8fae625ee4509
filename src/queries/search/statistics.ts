import type { TermStatistics } from '../../domain/ranking/bm25.ts';
import { usesWordsInMemory } from '../../read-models/lexical/variant.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import type { Words } from '../../ports/word-index.ts';
import type { ReadView } from '../read-models.ts';

/**
 * The number of the tenant's documents, and how many of them contain each term. If words are kept in RAM, `words` are the
 * tenant's; without them no term counts as known.
 */
export async function readStatistics(
  executor: SqlExecutor,
  view: ReadView,
  tenant: string,
  terms: readonly string[],
  words?: Words,
): Promise<TermStatistics> {
  if (words) {
    const documentFrequency = new Map(terms.map((term) => [term, words.documentFrequency(term)]));
    return { documents: words.documents, documentFrequency };
  }
  const areResident = usesWordsInMemory(view.signature('lexical'));
  const ofTerms = `union all
     select term, documents from ${view.table('lexical', 'lexical_terms')} where tenant = $1 and term = any ($2::text[])`;
  const rows = await executor.query<{ term: string | null; documents: number }>(
    `select null as term, documents from ${view.table('lexical', 'lexical_corpus')} where tenant = $1
     ${areResident ? '' : ofTerms}`,
    areResident ? [tenant] : [tenant, [...terms]],
  );
  return {
    documents: rows.find(({ term }) => term === null)?.documents ?? 0,
    documentFrequency: new Map(
      rows.flatMap(({ term, documents }) => (term === null ? [] : [[term, documents]])),
    ),
  };
}
