import { totalmem } from 'node:os';
import { PGlite } from '@electric-sql/pglite';

/**
 * PostgreSQL's settings for a single connection in one thread. Measured: an HNSW index over 100,000 vectors of 384
 * dimensions is built within 512 MB of maintenance memory. Memory is allocated when needed, but WebAssembly never returns it.
 */
const settings: Readonly<Record<string, string>> = {
  work_mem: '32MB',
  maintenance_work_mem: '512MB',
  effective_cache_size: '1GB',
  random_page_cost: '1.1',
  min_wal_size: '64MB',
  // New texts stay longer in the write buffer of the BM25 index (4 MB), and transactions do not spill it: spills and the
  // compactions after them took half of the CPU time of an insert.
  'pg_textsearch.bulk_load_threshold': '0',
  'pg_textsearch.memtable_pages_threshold': '512',
  TimeZone: 'UTC',
  log_min_messages: 'warning',
  log_min_error_statement: 'panic',
};

const mebibyte = 2 ** 20;
const smallestBuffersMb = 128;
/** For a folder with little data. Enough for 20,000 memories. */
const usualBuffersMb = 256;
const largestBuffersMb = 512;

/**
 * As large as the data at the start, but at least 256 MB, and at most 512 MB or a sixteenth of the machine's memory. The
 * buffers are allocated and filled with zeros at once, so an empty server would occupy them too. Pages outside of them are
 * read through WebAssembly's file system.
 */
export function sharedBuffersMb(memoryBytes: number, dataBytes: number): number {
  const most = Math.min(largestBuffersMb, Math.max(smallestBuffersMb, memoryBytes / 16 / mebibyte));
  return Math.round(Math.min(most, Math.max(usualBuffersMb, dataBytes / mebibyte)));
}

/** The memory limit of the container, or the machine's memory. */
function availableMemory(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Infinity);
}

/**
 * Arguments of `postgres`. `dataBytes` is the size of a database on disk, whose writes are synced; it is undefined for a database in
 * memory, which needs no sync.
 */
export function startParams(dataBytes?: number): string[] {
  const base = PGlite.defaultStartParams.filter((parameter) => parameter !== '-F');
  const extra =
    dataBytes === undefined
      ? { ...settings, shared_buffers: `${smallestBuffersMb}MB`, fsync: 'off' }
      : {
          ...settings,
          shared_buffers: `${sharedBuffersMb(availableMemory(), dataBytes)}MB`,
          fsync: 'on',
          wal_sync_method: 'fsync',
        };
  return [...base, ...Object.entries(extra).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** The built-in collation sorts and folds case in the same way here and on a server, independent of the C library. */
export const initdbParams: string[] = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
