import type { PostingKey } from '../../domain/retrieval/posting-keys.ts';
import { postingsOf, quarantinedKey, type Filed } from '../../domain/retrieval/postings.ts';
import { Table, type Row, type Tables } from '../../read-models/table.ts';
import { eachInSlices } from '../each-in-slices.ts';
import { insert, removeRows, together, type Write } from '../write.ts';

/**
 * The keys by which active memories are found. The table has a B-tree instead of a GIN index: under row-level security PostgreSQL uses
 * an index only for leakproof operators, and those of arrays and JSON are not. The tenant is the first column.
 */
export const postings = new Table('memories_postings', {
  columns: { tenant: 'text', key: 'bigint', memory_id: 'uuid' },
  key: ['tenant', 'key', 'memory_id'],
  collations: { tenant: 'C' },
});

/** A key of a memory, as its digits. */
type Posting = Omit<Row<typeof postings>, 'key'> & { readonly key: PostingKey };

/** What a memory is filed under; undefined while nothing looks it up, because it is deleted or rejected. */
export type FiledMemory = Filed | 'quarantined' | undefined;

/** A memory before and after a batch. */
export interface FiledChange {
  readonly tenant: string;
  readonly memoryId: string;
  readonly before: FiledMemory;
  readonly after: FiledMemory;
}

/** Writes the changed postings. They depend only on the stream of the memory. */
export async function writePostings(changes: readonly FiledChange[], tables: Tables): Promise<Write> {
  const [gone, added]: [Posting[], Posting[]] = [[], []];
  await eachInSlices(changes, ({ tenant, memoryId, before, after }) => {
    const [old, now] = [keysOf(before), keysOf(after)];
    for (const key of old) if (!now.has(key)) gone.push({ tenant, key, memory_id: memoryId });
    for (const key of now) if (!old.has(key)) added.push({ tenant, key, memory_id: memoryId });
  });
  return together(removeRows(tables, postings, gone), insert(tables(postings.name), postings.rows, added));
}

function keysOf(filed: FiledMemory): ReadonlySet<PostingKey> {
  if (filed === 'quarantined') return new Set([quarantinedKey]);
  return filed ? postingsOf(filed) : new Set();
}
