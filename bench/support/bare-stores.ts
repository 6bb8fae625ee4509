import { openOpenSearch } from '../../src/adapters/opensearch/opensearch.ts';
import { openPostgres } from '../../src/adapters/postgres/postgres.ts';
import { lexicalGeneration } from '../../src/read-models/lexical/variant.ts';
import { vectorTable } from '../../src/read-models/vectors/tables.ts';
import type { Layer } from '../../src/domain/layers.ts';
import type { LexicalDocument, LexicalIndex } from '../../src/ports/lexical-index.ts';
import type { Sql } from '../../src/ports/sql.ts';
import { scopeOf } from '../../src/projections/scope-columns.ts';
import { deterministicModel } from './bare-indexes.ts';
import { inLanes, timed } from './statistics.ts';

const rowsAtOnce = 500;
const vectorsAtOnce = 64;
/** Connections that index vectors in parallel, as many as the projectors use. */
const vectorLanes = 3;
const documentsAtOnce = 1_000;
const generation = lexicalGeneration(9_000);
const kept = vectorTable(deterministicModel).replace('read.', '');

type StoredRow = Readonly<Record<string, unknown>>;

/** The projectors' output: rows by table, vectors and documents. */
interface Contents {
  readonly tables: ReadonlyMap<string, readonly StoredRow[]>;
  readonly vectors: readonly Float32Array[];
  readonly documents: readonly LexicalDocument[];
}

/**
 * Writes the contents of the first generations of all read models again, as fast as plain clients can, into empty copies of the
 * tables with the same indexes and into a separate search index. The rows are prepared, each table has its own connection and
 * large batches, and vectors have several connections. As with the projectors, commits do not wait for a sync and documents
 * become searchable after each thousand. Returns how long it took, and how many memories are then in both stores.
 */
export async function writeBareStores(
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly ms: number; readonly memories: number }> {
  const sql = await openPostgres({
    url: environment['STRATALOG_POSTGRES_URL']!,
    extensions: ['vector'],
    maxConnections: 16,
  });
  const index = openOpenSearch({
    url: environment['STRATALOG_OPENSEARCH_URL']!,
    prefix: environment['STRATALOG_OPENSEARCH_INDEX_PREFIX']!,
  });
  try {
    const contents = await readContents(sql);
    await sql.execute('create schema bare');
    for (const table of contents.tables.keys())
      await sql.execute(`create table bare.${table} (like read.${table} including all)`);
    await index.createGeneration(generation);
    const { ms } = await timed(() =>
      Promise.all([
        ...[...contents.tables].map(([table, rows]) =>
          table === kept ? writeVectors(sql, rows, contents.vectors) : writeRows(sql, table, rows),
        ),
        writeDocuments(index, contents.documents),
      ]),
    );
    const [stored] = await sql.query<{ vectors: number }>(
      `select count(embedding) as vectors from bare.${kept}`,
    );
    const { active } = await index.count(generation);
    await index.dropGeneration(generation);
    await sql.execute('drop schema bare cascade');
    return { ms, memories: Math.min(stored!.vectors, active) };
  } finally {
    await index.close();
    await sql.close();
  }
}

async function readContents(sql: Sql): Promise<Contents> {
  const names = await sql.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'read' and (tablename ~ '_g1$' or tablename = $1)`,
    [kept],
  );
  const tables = new Map<string, StoredRow[]>();
  for (const { name } of names) {
    const rows = await sql.query<{ row: StoredRow }>(
      `select to_jsonb(t) - 'embedding' as row from read.${name} t`,
    );
    tables.set(
      name,
      rows.map(({ row }) => row),
    );
  }
  const vectors = await sql.query<{ numbers: number[] }>(
    `select embedding::real[] as numbers from read.${kept}`,
  );
  return {
    tables,
    vectors: vectors.map(({ numbers }) => Float32Array.from(numbers)),
    documents: tables.get('lexical_g1')!.map(documentOf),
  };
}

function documentOf(row: StoredRow): LexicalDocument {
  return {
    tenant: String(row['tenant']),
    memoryId: String(row['memory_id']),
    revision: Number(row['revision']),
    deleted: false,
    layer: row['layer'] as Layer,
    scope: scopeOf(row),
    body: String(row['body']),
  };
}

async function writeRows(sql: Sql, table: string, rows: readonly StoredRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    const batch = JSON.stringify(rows.slice(at, at + rowsAtOnce));
    await sql.transaction(
      (tx) =>
        tx.query(
          `insert into bare.${table} select * from jsonb_populate_recordset(null::bare.${table}, $1::text::jsonb)`,
          [batch],
        ),
      { durable: false },
    );
  }
}

/** `rows` and `vectors` are both in the order of the table. */
async function writeVectors(
  sql: Sql,
  rows: readonly StoredRow[],
  vectors: readonly Float32Array[],
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).filter((column) => column !== 'shelved');
  await inLanes(vectorLanes, Math.ceil(rows.length / vectorsAtOnce), async (slice) => {
    const from = slice * vectorsAtOnce;
    const batch = vectors.slice(from, from + vectorsAtOnce);
    const numbered = rows.slice(from, from + vectorsAtOnce);
    await sql.transaction(
      (tx) =>
        tx.query(
          `insert into bare.${kept} (${columns.join(', ')}, embedding)
           select ${columns.map((column) => `(r).${column}`).join(', ')}, v
           from rows from (jsonb_array_elements($1::text::jsonb), unnest(array[${batch.map((_, n) => `$${n + 2}`).join(', ')}]::vector[]))
             as n(row, v), jsonb_populate_record(null::bare.${kept}, row) r`,
          [JSON.stringify(numbered), ...batch],
        ),
      { durable: false },
    );
  });
}

async function writeDocuments(index: LexicalIndex, documents: readonly LexicalDocument[]): Promise<void> {
  for (let at = 0; at < documents.length; at += documentsAtOnce) {
    await index.write(generation, documents.slice(at, at + documentsAtOnce));
    await index.refresh(generation);
  }
}
