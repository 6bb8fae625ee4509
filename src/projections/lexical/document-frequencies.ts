import { forEachTermCount } from '../../domain/text/term-counts-json.ts';
import { Table, type Tables } from '../../read-models/table.ts';
import { statement, together, upsert, type Write } from '../write.ts';
import type { TextRow } from './text-rows.ts';

/** In how many documents of a tenant each term is. */
export const frequencies = new Table('lexical_terms', {
  columns: { tenant: 'text', term: 'text', documents: 'integer' },
  key: ['tenant', 'term'],
  collations: { term: 'C' },
  fillfactor: 50,
  digestedRows: 'documents <> 0',
});

/** How many documents each tenant has. */
export const corpora = new Table('lexical_corpus', {
  columns: { tenant: 'text', documents: 'integer' },
  key: ['tenant'],
  combined: { documents: 'sum' },
  digestedRows: 'documents <> 0',
});

/** The changes that a batch makes to the tenants' document frequencies: one upsert for each term, however many documents contain it. */
export class DocumentFrequencies {
  readonly #terms = new Map<string, Map<string, number>>();
  readonly #documents = new Map<string, number>();
  readonly #countsTerms: boolean;

  /** Without `countsTerms` only the number of documents of each tenant is counted. */
  constructor({ countsTerms }: { readonly countsTerms: boolean }) {
    this.#countsTerms = countsTerms;
  }

  /** Adds (+1) or subtracts (-1) a row. Only rows in the index count. */
  count(row: TextRow | undefined, sign: 1 | -1): void {
    if (row?.body === undefined) return;
    this.#documents.set(row.tenant, (this.#documents.get(row.tenant) ?? 0) + sign);
    if (!this.#countsTerms) return;
    const terms = this.#terms.get(row.tenant) ?? new Map<string, number>();
    this.#terms.set(row.tenant, terms);
    forEachTermCount(row.counts, (term) => terms.set(term, (terms.get(term) ?? 0) + sign));
  }

  write(tables: Tables): Write {
    const writes: Write[] = [];
    for (const [tenant, terms] of this.#terms) {
      // In a fixed order, so that two writers cannot deadlock.
      const changed = [...terms]
        .filter(([, delta]) => delta !== 0)
        .sort(([left], [right]) => (left < right ? -1 : 1));
      if (changed.length === 0) continue;
      // Most terms exist already, and for them an update takes three fifths of the time of an upsert.
      writes.push(
        statement(
          `with delta as materialized (select * from unnest($2::text[], $3::integer[]) as delta(term, documents)),
           counted as (
             update ${tables(frequencies.name)} t set documents = t.documents + delta.documents
             from delta where t.tenant = $1 and t.term = delta.term returning t.term)
         insert into ${tables(frequencies.name)} as t (tenant, term, documents)
         select $1, term, documents from delta where term not in (select term from counted)
         on conflict (tenant, term) do update set documents = t.documents + excluded.documents`,
          [tenant, changed.map(([term]) => term), changed.map(([, delta]) => delta)],
        ),
      );
      const rarer = changed.filter(([, delta]) => delta < 0).map(([term]) => term);
      if (rarer.length === 0) continue;
      // A word that no document contains any more may be erased content.
      writes.push(
        statement(
          `delete from ${tables(frequencies.name)} where tenant = $1 and term = any ($2) and documents = 0`,
          [tenant, rarer],
        ),
      );
    }
    const sizes = [...this.#documents].map(([tenant, documents]) => ({ tenant, documents }));
    writes.push(
      upsert(
        tables,
        corpora,
        sizes.filter(({ documents }) => documents !== 0),
      ),
    );
    return together(...writes);
  }
}
