import path from 'node:path';

/** The command line of this checkout. */
export const program = path.resolve('bin/stratalog.mjs');

/**
 * Options of Node for a process that runs for seconds: the code of PostgreSQL is only compiled, not optimized, which takes a third off the CPU
 * time of a start. In a server that answers requests for minutes the optimized code pays off.
 */
export const shortLived: readonly string[] = ['--liftoff-only'];

/** Command and first arguments of a short-lived `stratalog …`. */
export const stratalogCommand: readonly [string, ...string[]] = [process.execPath, ...shortLived, program];
