import { forEachTermCount } from '../../domain/text/term-counts-json.ts';
import type { Tables } from '../projection.ts';
import { statement, together, type Write } from '../write.ts';
import type { TextRow } from './text-changes.ts';

/** What a batch changes of the tenants' document frequencies: one upsert a term, however many documents have it. */
export class DocumentFrequencies {
  readonly #terms = new Map<string, Map<string, number>>();
  readonly #documents = new Map<string, number>();
  readonly #countsTerms: boolean;

  /** Without its terms only how many documents each tenant has is counted. */
  constructor({ countsTerms }: { readonly countsTerms: boolean }) {
    this.#countsTerms = countsTerms;
  }

  /** Counts a row in (+1) or out (-1); only rows that are in the index count. */
  take(row: TextRow | undefined, sign: 1 | -1): void {
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
      // One order for all writers: two of them never wait for each other in a circle.
      const changed = [...terms]
        .filter(([, delta]) => delta !== 0)
        .sort(([left], [right]) => (left < right ? -1 : 1));
      if (changed.length === 0) continue;
      // Most terms are there already: of those, an update alone takes three fifths of what an upsert does.
      writes.push(
        statement(
          `with delta as materialized (select * from unnest($2::text[], $3::integer[]) as delta(term, documents)),
           counted as (
             update ${tables('lexical_terms')} t set documents = t.documents + delta.documents
             from delta where t.tenant = $1 and t.term = delta.term returning t.term)
         insert into ${tables('lexical_terms')} as t (tenant, term, documents)
         select $1, term, documents from delta where term not in (select term from counted)
         on conflict (tenant, term) do update set documents = t.documents + excluded.documents`,
          [tenant, changed.map(([term]) => term), changed.map(([, delta]) => delta)],
        ),
      );
      const rarer = changed.filter(([, delta]) => delta < 0).map(([term]) => term);
      if (rarer.length === 0) continue;
      // A word that nobody uses any more may be what was erased.
      writes.push(
        statement(
          `delete from ${tables('lexical_terms')} where tenant = $1 and term = any ($2) and documents = 0`,
          [tenant, rarer],
        ),
      );
    }
    for (const [tenant, documents] of this.#documents) {
      if (documents === 0) continue;
      writes.push(
        statement(
          `insert into ${tables('lexical_corpus')} as c (tenant, documents) values ($1, $2)
         on conflict (tenant) do update set documents = c.documents + excluded.documents`,
          [tenant, documents],
        ),
      );
    }
    return together(...writes);
  }
}
