import { PGlite } from '@electric-sql/pglite';

/**
 * How PostgreSQL is set for one connection in one thread. Measured: 128 MB of shared buffers keep a checkpoint below
 * 0.2 s, and an HNSW index over 100,000 vectors of 384 dimensions is built within 512 MB of maintenance memory (what it
 * does not need is not taken; what it took, WebAssembly keeps).
 */
const settings: Readonly<Record<string, string>> = {
  shared_buffers: '128MB',
  work_mem: '32MB',
  maintenance_work_mem: '512MB',
  effective_cache_size: '1GB',
  random_page_cost: '1.1',
  min_wal_size: '64MB',
  TimeZone: 'UTC',
  log_min_messages: 'warning',
  log_min_error_statement: 'panic',
};

/** `postgres` arguments. In memory there is nothing to sync; on disk every sync is a real one. */
export function startParams(durable: boolean): string[] {
  const base = PGlite.defaultStartParams.filter((parameter) => parameter !== '-F');
  const extra = durable
    ? { ...settings, fsync: 'on', wal_sync_method: 'fsync' }
    : { ...settings, fsync: 'off' };
  return [...base, ...Object.entries(extra).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** The built-in collation sorts and folds case alike here and on a server, whatever C library is below. */
export const initdbParams: string[] = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
