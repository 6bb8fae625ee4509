import type { TermStatistics } from '../../domain/ranking/bm25.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import type { ReadView } from '../read-models.ts';

/** The tenant's number of documents and those that hold each term. */
export async function readStatistics(
  executor: SqlExecutor,
  view: ReadView,
  tenant: string,
  terms: readonly string[],
): Promise<TermStatistics> {
  const rows = await executor.query<{ term: string | null; documents: number }>(
    `select null as term, documents from ${view.table('lexical', 'lexical_corpus')} where tenant = $1
     union all
     select term, documents from ${view.table('lexical', 'lexical_terms')} where tenant = $1 and term = any ($2::text[])`,
    [tenant, [...terms]],
  );
  return {
    documents: rows.find(({ term }) => term === null)?.documents ?? 0,
    documentFrequency: new Map(
      rows.flatMap(({ term, documents }) => (term === null ? [] : [[term, documents]])),
    ),
  };
}
