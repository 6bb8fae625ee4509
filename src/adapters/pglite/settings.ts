import { totalmem } from 'node:os';
import { PGlite } from '@electric-sql/pglite';

/**
 * How PostgreSQL is set for one connection in one thread. Measured: an HNSW index over 100,000 vectors of 384
 * dimensions is built within 512 MB of maintenance memory (what it does not need is not taken; what it took,
 * WebAssembly keeps).
 */
const settings: Readonly<Record<string, string>> = {
  work_mem: '32MB',
  maintenance_work_mem: '512MB',
  effective_cache_size: '1GB',
  random_page_cost: '1.1',
  min_wal_size: '64MB',
  // New texts stay longer in the BM25 index's write buffer (4 MB), and no transaction spills it by itself: of the CPU of
  // an insert, spills and the compactions that follow took half.
  'pg_textsearch.bulk_load_threshold': '0',
  'pg_textsearch.memtable_pages_threshold': '512',
  TimeZone: 'UTC',
  log_min_messages: 'warning',
  log_min_error_statement: 'panic',
};

const smallestBuffersMb = 128;
const largestBuffersMb = 512;

/**
 * A sixteenth of the machine's memory within bounds: it is taken at once, used or not. Reading a page that is not in
 * it goes through WebAssembly's file system: an insert into the HNSW index over 100,000 vectors (205 MB) took 8.8 ms
 * with 128 MB, and 2.9 ms with 384 MB and more.
 */
function sharedBuffersMb(memoryBytes: number): number {
  return Math.round(Math.min(largestBuffersMb, Math.max(smallestBuffersMb, memoryBytes / 16 / 2 ** 20)));
}

/** Of a container its own limit, else the machine's memory. */
function memoryInReach(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Infinity);
}

/** `postgres` arguments. In memory there is nothing to sync; on disk every sync is a real one. */
export function startParams(durable: boolean): string[] {
  const base = PGlite.defaultStartParams.filter((parameter) => parameter !== '-F');
  const extra = durable
    ? {
        ...settings,
        shared_buffers: `${sharedBuffersMb(memoryInReach())}MB`,
        fsync: 'on',
        wal_sync_method: 'fsync',
      }
    : { ...settings, shared_buffers: `${smallestBuffersMb}MB`, fsync: 'off' };
  return [...base, ...Object.entries(extra).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** The built-in collation sorts and folds case alike here and on a server, whatever C library is below. */
export const initdbParams: string[] = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
