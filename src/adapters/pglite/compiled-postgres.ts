import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { webAssembly } from '../../support/webassembly.ts';

/**
 * How many bytes of code a function of PostgreSQL runs before V8 optimizes it; 1.8 million by default. With the default, starting a database
 * optimizes hundreds of functions that are hardly called again. This takes .5 s of CPU time off a start and leaves searches as fast as they
 * were; with 300 million, starts take 1.1 s less and searches among 5,000 memories a third more.
 */
const tieringBudget = 30_000_000;

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
  setFlagsFromString(`--wasm-tiering-budget=${tieringBudget}`);
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  return webAssembly.compile(await readFile(path.join(path.dirname(entry), 'pglite.wasm')));
}
