import type { MemoryEvent } from '../../domain/memory/events.ts';
import { termCounts } from '../../domain/text/tokens.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import { digestOf, protect, type Projection, type Tables } from '../projection.ts';
import { scopeColumnNames, scopeColumns, scopeRow } from '../scope-columns.ts';

/**
 * The text of every active memory under a BM25 index that finds candidates, with the term counts from which our own
 * score is computed, and each tenant's document frequencies: another tenant's writes change no score.
 * A deleted memory keeps its text shelved, out of the index, for its restoration.
 */
export const lexical: Projection = {
  name: 'lexical',
  version: 1,
  batchSize: 128,
  handles: ['MemoryStored', 'MemoryUpdated', 'MemoryDeleted', 'MemoryRestored', 'MemoryErased'],
  tables: ['lexical', 'lexical_terms', 'lexical_corpus'],
  create: (tables) => [
    `create table ${tables('lexical')} (
      tenant text not null,
      memory_id uuid not null,
      ${scopeColumns},
      body text,
      shelved text,
      terms jsonb not null,
      length integer not null,
      primary key (tenant, memory_id)
    )`,
    `create table ${tables('lexical_terms')} (
      tenant text not null,
      term text not null collate "C",
      documents integer not null,
      primary key (tenant, term)
    )`,
    `create table ${tables('lexical_corpus')} (
      tenant text primary key,
      documents integer not null
    )`,
    `create index ${tables('lexical_body').replace('read.', '')} on ${tables('lexical')} using bm25 (body) with (text_config = 'english')`,
    ...protect(tables('lexical')),
    ...protect(tables('lexical_terms')),
    ...protect(tables('lexical_corpus')),
  ],
  apply,
  digest: (tables) => `
    select concat_ws(' ',
      (${digestOf(tables('lexical'), ['tenant', 'memory_id', 'md5(body)', 'md5(shelved)', 'md5(terms::text)', 'length'])}),
      (${digestOf(tables('lexical_terms'), ['tenant', 'term', 'documents'], 'documents <> 0')}),
      (${digestOf(tables('lexical_corpus'), ['tenant', 'documents'], 'documents <> 0')})) as digest`,
};

interface TextRow {
  readonly tenant: string;
  readonly memory_id: string;
  readonly body?: string;
  readonly shelved?: string;
  readonly terms: Readonly<Record<string, number>>;
  readonly length: number;
  readonly [scopeColumn: string]: unknown;
}

interface StoredRow extends Record<string, unknown> {
  tenant: string;
  memory_id: string;
  body: string | null;
  shelved: string | null;
  terms: Record<string, number>;
  length: number;
}

async function apply(events: readonly LoadedEvent[], tx: SqlExecutor, tables: Tables): Promise<void> {
  const facts = events as readonly LoadedEvent<MemoryEvent>[];
  const before = await loadRows(facts, tx, tables);
  const after = new Map<string, TextRow | undefined>();
  for (const fact of facts) {
    const key = `${fact.metadata.tenant}/${fact.event.data.memoryId}`;
    const now = after.has(key) ? after.get(key) : before.get(key);
    after.set(key, next(now, fact));
  }
  const statistics = new StatisticsDelta();
  for (const [key, row] of after) {
    statistics.take(before.get(key), -1);
    statistics.take(row, 1);
  }
  await writeRows(before, after, tx, tables);
  await statistics.write(tx, tables);
}

function next(
  row: TextRow | undefined,
  { event, metadata, erased }: LoadedEvent<MemoryEvent>,
): TextRow | undefined {
  if (erased) return undefined;
  switch (event.type) {
    case 'MemoryStored':
      return {
        tenant: metadata.tenant,
        memory_id: event.data.memoryId,
        ...scopeRow(event.data.layer, event.data.scope),
        ...indexed(event.data.content),
      };
    case 'MemoryUpdated':
      return row && event.data.content !== undefined ? { ...row, ...indexed(event.data.content) } : row;
    case 'MemoryDeleted': {
      if (row?.body === undefined) return row;
      const { body, ...rest } = row;
      return { ...rest, shelved: body };
    }
    case 'MemoryRestored': {
      if (row?.shelved === undefined) return row;
      const { shelved, ...rest } = row;
      return { ...rest, body: shelved };
    }
    case 'MemoryErased':
      return undefined;
    default:
      return event satisfies never;
  }
}

function indexed(content: string): Pick<TextRow, 'terms' | 'length'> & { body: string } {
  const { counts, length } = termCounts(content);
  return { body: content, terms: Object.fromEntries(counts), length };
}

async function loadRows(
  facts: readonly LoadedEvent<MemoryEvent>[],
  tx: SqlExecutor,
  tables: Tables,
): Promise<Map<string, TextRow>> {
  const wanted = facts
    .filter(({ event }) => event.type !== 'MemoryStored')
    .map(({ event, metadata }) => ({ tenant: metadata.tenant, memory_id: event.data.memoryId }));
  const rows = new Map<string, TextRow>();
  if (wanted.length === 0) return rows;
  const found = await tx.query<StoredRow>(
    `select distinct on (l.tenant, l.memory_id) l.* from jsonb_to_recordset($1::text::jsonb) as wanted(tenant text, memory_id uuid)
     join ${tables('lexical')} l using (tenant, memory_id)`,
    [JSON.stringify(wanted)],
  );
  for (const { body, shelved, ...row } of found) {
    rows.set(`${row.tenant}/${row.memory_id}`, {
      ...row,
      ...(body !== null && { body }),
      ...(shelved !== null && { shelved }),
    });
  }
  return rows;
}

async function writeRows(
  before: ReadonlyMap<string, TextRow>,
  after: ReadonlyMap<string, TextRow | undefined>,
  tx: SqlExecutor,
  tables: Tables,
): Promise<void> {
  const written = [...after]
    .filter(([key, row]) => row !== undefined && row !== before.get(key))
    .map(([, row]) => row);
  const gone = [...after.keys()].filter((key) => after.get(key) === undefined && before.has(key));
  const columns = ['tenant', 'memory_id', ...scopeColumnNames, 'body', 'shelved', 'terms', 'length'].join(
    ', ',
  );
  if (written.length > 0) {
    await tx.query(
      `insert into ${tables('lexical')} (${columns})
       select ${columns} from jsonb_populate_recordset(null::${tables('lexical')}, $1::text::jsonb)
       on conflict (tenant, memory_id) do update
       set body = excluded.body, shelved = excluded.shelved, terms = excluded.terms, length = excluded.length`,
      [JSON.stringify(written)],
    );
  }
  if (gone.length > 0) {
    await tx.query(
      `delete from ${tables('lexical')} l using jsonb_to_recordset($1::text::jsonb) as gone(tenant text, memory_id uuid)
       where l.tenant = gone.tenant and l.memory_id = gone.memory_id`,
      [
        JSON.stringify(
          gone.map((key) => ({ tenant: before.get(key)!.tenant, memory_id: before.get(key)!.memory_id })),
        ),
      ],
    );
  }
}

/** What a batch changes of the tenants' document frequencies: one upsert a term, however many documents have it. */
class StatisticsDelta {
  readonly #terms = new Map<string, Map<string, number>>();
  readonly #documents = new Map<string, number>();

  /** Counts a row in (+1) or out (-1); only rows that are in the index count. */
  take(row: TextRow | undefined, sign: 1 | -1): void {
    if (row?.body === undefined) return;
    this.#documents.set(row.tenant, (this.#documents.get(row.tenant) ?? 0) + sign);
    const terms = this.#terms.get(row.tenant) ?? new Map<string, number>();
    this.#terms.set(row.tenant, terms);
    for (const term of Object.keys(row.terms)) terms.set(term, (terms.get(term) ?? 0) + sign);
  }

  async write(tx: SqlExecutor, tables: Tables): Promise<void> {
    for (const [tenant, terms] of this.#terms) {
      // One order for all writers: two of them never wait for each other in a circle.
      const changed = [...terms]
        .filter(([, delta]) => delta !== 0)
        .sort(([left], [right]) => (left < right ? -1 : 1));
      if (changed.length === 0) continue;
      await tx.query(
        `insert into ${tables('lexical_terms')} as t (tenant, term, documents)
         select $1, term, documents from unnest($2::text[], $3::integer[]) as delta(term, documents)
         on conflict (tenant, term) do update set documents = t.documents + excluded.documents`,
        [tenant, changed.map(([term]) => term), changed.map(([, delta]) => delta)],
      );
      const rarer = changed.filter(([, delta]) => delta < 0).map(([term]) => term);
      if (rarer.length === 0) continue;
      // A word that nobody uses any more may be what was erased.
      await tx.query(
        `delete from ${tables('lexical_terms')} where tenant = $1 and term = any ($2) and documents = 0`,
        [tenant, rarer],
      );
    }
    for (const [tenant, documents] of this.#documents) {
      if (documents === 0) continue;
      await tx.query(
        `insert into ${tables('lexical_corpus')} as c (tenant, documents) values ($1, $2)
         on conflict (tenant) do update set documents = c.documents + excluded.documents`,
        [tenant, documents],
      );
    }
  }
}
