import type { PostingKey } from '../../domain/retrieval/posting-keys.ts';
import { postingsOf, type Filed } from '../../domain/retrieval/postings.ts';
import { protect, type Tables } from '../../read-models/table.ts';
import { Recordset } from '../../read-models/recordset.ts';
import { eachInSlices } from '../each-in-slices.ts';
import { insert, remove, together, type Write } from '../write.ts';

const table = 'memories_postings';

/** A memory before and after a batch; undefined while it is not active. */
export interface FiledChange {
  readonly tenant: string;
  readonly memoryId: string;
  readonly before: Filed | undefined;
  readonly after: Filed | undefined;
}

/**
 * Creates the table of postings. It has a B-tree instead of a GIN index: under row-level security PostgreSQL uses an index only for
 * leakproof operators, and those of arrays and JSON are not. The tenant is the first column.
 */
export function createPostings(tables: Tables): string[] {
  return [
    `create table ${tables(table)} (
      tenant text not null collate "C",
      key bigint not null,
      memory_id uuid not null,
      primary key (tenant, key, memory_id)
    )`,
    ...protect(tables(table)),
  ];
}

/** A key of a memory. */
interface Posting {
  readonly tenant: string;
  readonly key: PostingKey;
  readonly memory_id: string;
}

export const postingColumns = { tenant: 'text', key: 'bigint', memory_id: 'uuid' } as const;
const postings = new Recordset(postingColumns);

/** Writes the changed postings. They depend only on the stream of the memory. */
export async function writePostings(changes: readonly FiledChange[], tables: Tables): Promise<Write> {
  const [gone, added]: [Posting[], Posting[]] = [[], []];
  await eachInSlices(changes, ({ tenant, memoryId, before, after }) => {
    const [old, now] = [keysOf(before), keysOf(after)];
    for (const key of old) if (!now.has(key)) gone.push({ tenant, key, memory_id: memoryId });
    for (const key of now) if (!old.has(key)) added.push({ tenant, key, memory_id: memoryId });
  });
  return together(remove(tables(table), postings, gone), insert(tables(table), postings, added));
}

function keysOf(filed: Filed | undefined): ReadonlySet<PostingKey> {
  return filed ? postingsOf(filed) : new Set();
}
