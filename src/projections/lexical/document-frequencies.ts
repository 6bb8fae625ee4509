import { partOf, personalPart, sharedPart, type Part } from '../../domain/access/counted-parts.ts';
import type { Layer } from '../../domain/layers.ts';
import { forEachTermCount } from '../../domain/text/term-counts-json.ts';
import { Table, type Tables } from '../../read-models/table.ts';
import { scopeOf } from '../scope-columns.ts';
import { removeRows, statement, together, upsert, type Write } from '../write.ts';
import type { TextRow } from './text-rows.ts';

/** In how many documents of each part of a tenant a term is. */
export const frequencies = new Table('lexical_terms', {
  columns: { tenant: 'text', term: 'text', part: 'text', documents: 'integer' },
  key: ['tenant', 'term', 'part'],
  collations: { term: 'C', part: 'C' },
  fillfactor: 50,
  digestedRows: 'documents <> 0',
});

/** How many documents each part of a tenant has. */
export const partSizes = new Table('lexical_parts', {
  columns: { tenant: 'text', part: 'text', documents: 'integer' },
  key: ['tenant', 'part'],
  collations: { part: 'C' },
  combined: { documents: 'sum' },
  digestedRows: 'documents <> 0',
});

/** How many documents each tenant has. */
export const corpora = new Table('lexical_corpus', {
  columns: { tenant: 'text', documents: 'integer' },
  key: ['tenant'],
  combined: { documents: 'sum' },
  digestedRows: 'documents <> 0',
});

/** The parts that the documents of a tenant are counted in. */
function partsOf(row: TextRow): readonly Part[] {
  const part = partOf({ layer: row.layer as Layer, scope: scopeOf(row) });
  return part === sharedPart ? [part] : [part, personalPart];
}

/** The changes that a batch makes to the tenants' document frequencies: one upsert for each term, however many documents contain it. */
export class DocumentFrequencies {
  readonly #tenants = new Map<string, TenantCounts>();
  readonly #countsTerms: boolean;

  /** Without `countsTerms` only the number of documents of each tenant is counted. */
  constructor({ countsTerms }: { readonly countsTerms: boolean }) {
    this.#countsTerms = countsTerms;
  }

  /** Adds (+1) or subtracts (-1) a row. Only rows in the index count. */
  count(row: TextRow | undefined, sign: 1 | -1): void {
    if (row?.body === undefined) return;
    const counts = this.#tenants.get(row.tenant) ?? { documents: 0, parts: new Map<Part, PartCounts>() };
    this.#tenants.set(row.tenant, counts);
    counts.documents += sign;
    if (!this.#countsTerms) return;
    for (const name of partsOf(row)) {
      const part = counts.parts.get(name) ?? { documents: 0, terms: new Map<string, number>() };
      counts.parts.set(name, part);
      part.documents += sign;
      const { terms } = part;
      forEachTermCount(row.counts, (term) => terms.set(term, (terms.get(term) ?? 0) + sign));
    }
  }

  write(tables: Tables): Write {
    const sizes = [...this.#tenants].map(([tenant, { documents }]) => ({ tenant, documents }));
    return together(
      ...[...this.#tenants].flatMap(([tenant, { parts }]) => [
        ...writeTerms(tables, tenant, parts),
        ...writeParts(tables, tenant, parts),
      ]),
      upsert(tables, corpora, sizes.filter(isChange)),
    );
  }
}

interface PartCounts {
  documents: number;
  readonly terms: Map<string, number>;
}

interface TenantCounts {
  documents: number;
  readonly parts: Map<Part, PartCounts>;
}

function isChange({ documents }: { readonly documents: number }): boolean {
  return documents !== 0;
}

function writeTerms(tables: Tables, tenant: string, parts: ReadonlyMap<Part, PartCounts>): Write[] {
  // In a fixed order, so that two writers cannot deadlock.
  const changed = [...parts]
    .flatMap(([part, { terms }]) => Array.from(terms, ([term, documents]) => ({ term, part, documents })))
    .filter(isChange)
    .sort((left, right) => compare(left.term, right.term) || compare(left.part, right.part));
  if (changed.length === 0) return [];
  const bound = (rows: typeof changed) => [rows.map(({ term }) => term), rows.map(({ part }) => part)];
  const table = tables(frequencies.name);
  const rarer = changed.filter(({ documents }) => documents < 0);
  return [
    // Most terms exist already, and for them an update takes three fifths of the time of an upsert.
    statement(
      `with delta as materialized (
         select * from unnest($2::text[], $3::text[], $4::integer[]) as delta(term, part, documents)),
       counted as (
         update ${table} t set documents = t.documents + delta.documents
         from delta where t.tenant = $1 and t.term = delta.term and t.part = delta.part returning t.term, t.part)
       insert into ${table} as t (tenant, term, part, documents)
       select $1, term, part, documents from delta where (term, part) not in (select term, part from counted)
       on conflict (tenant, term, part) do update set documents = t.documents + excluded.documents`,
      [tenant, ...bound(changed), changed.map(({ documents }) => documents)],
    ),
    // A word that no document contains any more may be erased content.
    ...(rarer.length === 0
      ? []
      : [
          statement(
            `delete from ${table} t using unnest($2::text[], $3::text[]) as rarer(term, part)
             where t.tenant = $1 and t.term = rarer.term and t.part = rarer.part and t.documents = 0`,
            [tenant, ...bound(rarer)],
          ),
        ]),
  ];
}

function writeParts(tables: Tables, tenant: string, parts: ReadonlyMap<Part, PartCounts>): Write[] {
  const sizes = Array.from(parts, ([part, { documents }]) => ({ tenant, part, documents }))
    .filter(isChange)
    .sort((left, right) => compare(left.part, right.part));
  const smaller = sizes.filter(({ documents }) => documents < 0);
  return [
    upsert(tables, partSizes, sizes),
    // The name of a part is that of a person.
    removeRows(tables, partSizes, smaller, 't.documents = 0'),
  ];
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
