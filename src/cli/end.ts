import { explainSystemError } from './explain-system-error.ts';

const patienceMs = 1_000;

/**
 * Lets what is printed go out, then ends the process although something still keeps it: a client of a server that does
 * not answer may look for it for a minute.
 */
export function endSoon(): void {
  setTimeout(() => process.exit(), patienceMs).unref();
}

/**
 * Ends the process once nothing more can be printed: quietly where nobody reads it, as `head` does when it has its lines, and
 * else saying why.
 */
export function endWithOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit();
      console.error(explainSystemError(error) ?? `The output cannot be written: ${error.message}`);
      process.exit(1);
    });
  }
}
