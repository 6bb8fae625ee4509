import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { webAssembly } from '../../support/webassembly.ts';

let compiled: Promise<WebAssembly.Module> | undefined;

/**
 * PostgreSQL as a WebAssembly module. Compiling it takes half of the time in which an empty database starts, so it is compiled once
 * per process. All threads get the same module: that of each database, and one that replaces a failed thread.
 */
export function compiledPostgres(): Promise<WebAssembly.Module> {
  compiled ??= compile().catch((error: unknown) => {
    compiled = undefined;
    throw error;
  });
  return compiled;
}

async function compile(): Promise<WebAssembly.Module> {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  return webAssembly.compile(await readFile(path.join(path.dirname(entry), 'pglite.wasm')));
}
