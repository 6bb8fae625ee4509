import { explainSystemError } from './explain-system-error.ts';

const flushMs = 1_000;

/**
 * Ends the process after pending output was written, even if something keeps it alive, such as a client that retries a server for a
 * minute.
 */
export function endSoon(): void {
  setTimeout(() => process.exit(), flushMs).unref();
}

/**
 * Ends the process when its output can no longer be written: silently if the reader closed the pipe, as `head` does, or
 * else with the reason.
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
