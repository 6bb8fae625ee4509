import { createHash } from 'node:crypto';
import {
  closeSync,
  chmodSync,
  cpSync,
  existsSync,
  fdatasyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { queryRole } from '../sql/begin.ts';
import { syncDirectory } from './durable-fs.ts';
import { extensions } from './extensions.ts';
import { initdbParams, startParams } from './settings.ts';

/**
 * Prepares every new database. Drops the template databases: nothing is created from them, they are two thirds of the files,
 * and without autovacuum they would age until PostgreSQL refuses to write, to prevent transaction id wraparound.
 */
const preparation = [
  'create extension vector',
  'create extension pg_textsearch',
  `create role ${queryRole} nologin`,
  'update pg_database set datistemplate = false',
  'drop database template1',
  'drop database template0',
  'vacuum (freeze, analyze)',
];

/**
 * Calls `use` with the folder of a freshly initialised cluster to copy. initdb takes two seconds, so its result is cached in the
 * package's `.cache`; if that cannot be written, it is created each time and removed afterwards.
 */
export async function withTemplate<T>(
  packageRoot: string,
  use: (folder: string) => T | Promise<T>,
): Promise<T> {
  const kept = path.join(packageRoot, '.cache', `pglite-${fingerprint()}`);
  if (existsSync(kept)) return use(kept);
  const fresh = scratchFolder(path.dirname(kept));
  try {
    const cluster = path.join(fresh, 'pg');
    await initialise(cluster);
    return await use(keep(cluster, kept) ? kept : cluster);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Copies the template to `cluster`, durably and atomically. */
export async function createCluster(cluster: string, packageRoot: string): Promise<void> {
  const partial = `${cluster}.new`;
  rmSync(partial, { recursive: true, force: true });
  await withTemplate(packageRoot, (template) => cpSync(template, partial, { recursive: true }));
  chmodSync(partial, 0o700);
  syncTree(partial);
  renameSync(partial, cluster);
  syncDirectory(path.dirname(cluster));
}

async function initialise(cluster: string): Promise<void> {
  const database = await PGlite.create({
    fs: new NodeFS(cluster),
    extensions,
    startParams: startParams(),
    initDbStartParams: initdbParams,
  });
  for (const statement of preparation) await database.exec(statement);
  await database.close();
  syncTree(cluster);
}

/** Returns false if another process was faster or the folder cannot be written; then the caller uses its own copy. */
function keep(cluster: string, kept: string): boolean {
  try {
    renameSync(cluster, kept);
    return true;
  } catch {
    return false;
  }
}

function scratchFolder(preferred: string): string {
  try {
    mkdirSync(preferred, { recursive: true });
    return mkdtempSync(path.join(preferred, 'pglite-new-'));
  } catch {
    return mkdtempSync(path.join(tmpdir(), 'stratalog-pglite-'));
  }
}

function syncTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) syncTree(name);
    else if (entry.isFile()) syncFile(name);
  }
  syncDirectory(folder);
}

function syncFile(name: string): void {
  const descriptor = openSync(name, 'r+');
  try {
    fdatasyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** A hash that changes with the versions of the packages and with the preparation of a new database. */
function fingerprint(): string {
  const require = createRequire(import.meta.url);
  const versions = [
    '@electric-sql/pglite',
    '@electric-sql/pglite-pgvector',
    '@electric-sql/pglite-pg_textsearch',
  ].map((name) => readFileSync(packageFile(require.resolve(name)), 'utf8'));
  const parts = [...versions, ...preparation, ...initdbParams];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

function packageFile(entry: string): string {
  for (let folder = path.dirname(entry); ; folder = path.dirname(folder)) {
    const file = path.join(folder, 'package.json');
    if (existsSync(file) && readFileSync(file, 'utf8').includes('"version"')) return file;
    if (folder === path.dirname(folder)) throw new Error(`no package.json above ${entry}`);
  }
}
