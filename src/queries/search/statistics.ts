import { countedParts, personalPart, sharedPart } from '../../domain/access/counted-parts.ts';
import type { Region } from '../../domain/access/region.ts';
import type { TermStatistics } from '../../domain/ranking/bm25.ts';
import { countsParts, usesWordsInMemory } from '../../read-models/lexical/variant.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import type { Words } from '../../ports/word-index.ts';
import type { ReadView } from '../read-models.ts';

/** What a search knows of the words of its tenant. */
export interface WordStatistics {
  /** Number of memories of the tenant, of which a search decides how it finds candidates. Scores do not depend on it. */
  readonly size: number;
  /** Counted over the memories that may affect the caller's scores. */
  readonly terms: TermStatistics;
}

type Asked = Pick<Region, 'tenant' | 'visibility'>;

/**
 * The number of documents that count for the caller, and how many of them contain each term. If words are kept in RAM, `words` are the
 * tenant's; without them no term counts as known.
 */
export async function readStatistics(
  executor: SqlExecutor,
  view: ReadView,
  { tenant, visibility }: Asked,
  terms: readonly string[],
  words?: Words,
): Promise<WordStatistics> {
  const parts = countedParts(visibility);
  if (words) return { size: words.documents, terms: words.statistics(terms, parts) };
  const signature = view.signature('lexical');
  if (usesWordsInMemory(signature)) {
    const size = await sizeOf(executor, view, tenant);
    return { size, terms: { documents: 0, documentFrequency: new Map() } };
  }
  const counted = parts === 'all' ? [sharedPart, personalPart] : parts;
  // A generation from before that counts the tenant as a whole. It is replaced as soon as a newer one is filled.
  return countsParts(signature)
    ? readCounts(executor, view, tenant, terms, counted)
    : readCounts(executor, view, tenant, terms);
}

async function readCounts(
  executor: SqlExecutor,
  view: ReadView,
  tenant: string,
  terms: readonly string[],
  parts?: readonly string[],
): Promise<WordStatistics> {
  const [corpus, frequencies] = [
    view.table('lexical', 'lexical_corpus'),
    view.table('lexical', 'lexical_terms'),
  ];
  const inParts = parts ? 'and part = any ($3::text[])' : '';
  const ofParts = parts
    ? `union all select 'parts', null, coalesce(sum(documents), 0) from ${view.table('lexical', 'lexical_parts')}
       where tenant = $1 ${inParts}`
    : '';
  const rows = await executor.query<{ of: 'tenant' | 'parts' | 'term'; term: string; documents: number }>(
    `select 'tenant' as of, null as term, documents::bigint from ${corpus} where tenant = $1 ${ofParts}
     union all select 'term', term, sum(documents) from ${frequencies}
       where tenant = $1 and term = any ($2::text[]) ${inParts} group by term`,
    [tenant, [...terms], ...(parts ? [[...parts]] : [])],
  );
  const counted = (wanted: string) => rows.find(({ of }) => of === wanted)?.documents ?? 0;
  const size = counted('tenant');
  return {
    size,
    terms: {
      documents: parts ? counted('parts') : size,
      documentFrequency: new Map(
        rows.flatMap(({ of, term, documents }) => (of === 'term' ? [[term, documents]] : [])),
      ),
    },
  };
}

async function sizeOf(executor: SqlExecutor, view: ReadView, tenant: string): Promise<number> {
  const [row] = await executor.query<{ documents: number }>(
    `select documents from ${view.table('lexical', 'lexical_corpus')} where tenant = $1`,
    [tenant],
  );
  return row?.documents ?? 0;
}
