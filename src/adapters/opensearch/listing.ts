import type { IndexedEntry } from '../../ports/lexical-index.ts';
import type { Connection } from './connection.ts';

/** How long the server keeps the snapshot of a listing; renewed by every page. */
const keepAlive = '2m';

interface PointInTime {
  readonly id: string;
  readonly keep_alive: string;
}

/** Every document of `index` at the time of the first page, ordered by tenant and memory id. */
export async function* listIndex(
  connection: Connection,
  index: string,
  pageSize: number,
): AsyncGenerator<IndexedEntry[], void, undefined> {
  const id = await openPointInTime(connection, index);
  try {
    for (let last: IndexedEntry | undefined; ;) {
      const page = await readPage(connection, { id, keep_alive: keepAlive }, pageSize, last);
      last = page.at(-1);
      if (last) yield page;
      if (page.length < pageSize) return;
    }
  } finally {
    // Frees the snapshot at once. Without this it would expire later.
    await connection.ask((client) => client.deletePit({ body: { pit_id: [id] } })).catch(() => {});
  }
}

async function openPointInTime(connection: Connection, index: string): Promise<string> {
  const { body } = await connection.read((client) =>
    client.createPit({ index: [index], keep_alive: keepAlive, allow_partial_pit_creation: false }),
  );
  return body.pit_id;
}

async function readPage(
  connection: Connection,
  pit: PointInTime,
  size: number,
  last: IndexedEntry | undefined,
): Promise<IndexedEntry[]> {
  const { body } = await connection.read((client) =>
    client.search({
      allow_partial_search_results: false,
      body: {
        pit,
        size,
        ...(last && { search_after: [last.tenant, last.memoryId] }),
        sort: [{ tenant: { order: 'asc' } }, { memoryId: { order: 'asc' } }],
        docvalue_fields: [{ field: 'revision' }, { field: 'deleted' }, { field: 'textHash' }],
        _source: false,
        stored_fields: '_none_',
        track_total_hits: false,
      },
    }),
  );
  return body.hits.hits.map(({ sort, fields }) => {
    const { revision, deleted, textHash } = (fields ?? {}) as EntryFields;
    return {
      tenant: String(sort?.[0]),
      memoryId: String(sort?.[1]),
      revision: revision[0],
      deleted: deleted[0],
      ...(textHash && { textHash: textHash[0] }),
    };
  });
}

interface EntryFields {
  readonly revision: readonly [number];
  readonly deleted: readonly [boolean];
  readonly textHash?: readonly [string];
}
