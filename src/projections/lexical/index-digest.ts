import type { IndexedEntry } from '../../ports/lexical-index.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import { textHashSql } from '../../support/text-hash.ts';
import type { Tables } from '../../read-models/table.ts';
import { Recordset } from '../../read-models/recordset.ts';

const found = new Recordset({
  tenant: 'text',
  memory_id: 'uuid',
  revision: 'integer',
  deleted: 'boolean',
  text_hash: 'text',
});

/**
 * A digest of the documents whose memories have rows: ids, revisions, deletion and text hashes, independent of their order. A document
 * with a later revision than its row was just written by a running batch; the row is counted in its place, so that equal generations
 * have equal digests while the log moves. Searches show no document without its row.
 */
export async function digestOfDocuments(
  pages: AsyncIterable<readonly IndexedEntry[]>,
  executor: SqlExecutor,
  tables: Tables,
): Promise<string> {
  let [documents, sum] = [0, 0n];
  for await (const page of pages) {
    const [row] = await executor.query<{ documents: number; sum: string }>(
      `select count(*)::integer as documents,
         coalesce(sum(('x' || substr(md5(concat_ws('|', l.tenant, l.memory_id, e.revision, e.deleted, coalesce(e.hash, '~'))), 1, 15))::bit(60)::bigint), 0)::text as sum
       from ${found.as('d')} join ${tables('lexical')} l using (tenant, memory_id)
       cross join lateral (
         select d.revision, d.deleted, d.text_hash as hash where d.revision <= l.revision
         union all
         select l.revision, l.body is null, case when l.body is not null then ${textHashSql('read.term_text(l.counts)')} end
           where d.revision > l.revision
       ) e`,
      found.bind(
        page.map(({ memoryId, textHash, ...entry }) => ({
          ...entry,
          memory_id: memoryId,
          text_hash: textHash,
        })),
      ),
    );
    documents += row!.documents;
    sum += BigInt(row!.sum);
  }
  return `${documents}:${sum}`;
}
