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

const smallestBuffersMb = 128;
const largestBuffersMb = 512;

/**
 * A sixteenth of the machine's memory, within limits, because it is allocated at once. Pages outside of it are read through
 * WebAssembly's file system: an insert into the HNSW index over 100,000 vectors (205 MB) took 8.8 ms with 128 MB, and 2.9 ms
 * with 384 MB and more.
 */
function sharedBuffersMb(memoryBytes: number): number {
  return Math.round(Math.min(largestBuffersMb, Math.max(smallestBuffersMb, memoryBytes / 16 / 2 ** 20)));
}

/** The memory limit of the container, or the machine's memory. */
function availableMemory(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Infinity);
}

/** Arguments of `postgres`. A database in memory needs no sync; on disk every sync is executed. */
export function startParams(durable: boolean): string[] {
  const base = PGlite.defaultStartParams.filter((parameter) => parameter !== '-F');
  const extra = durable
    ? {
        ...settings,
        shared_buffers: `${sharedBuffersMb(availableMemory())}MB`,
        fsync: 'on',
        wal_sync_method: 'fsync',
      }
    : { ...settings, shared_buffers: `${smallestBuffersMb}MB`, fsync: 'off' };
  return [...base, ...Object.entries(extra).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** The built-in collation sorts and folds case in the same way here and on a server, independent of the C library. */
export const initdbParams: string[] = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
