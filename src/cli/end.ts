const patienceMs = 1_000;

/**
 * Lets what is printed go out, then ends the process although something still keeps it: a client of a server that does
 * not answer may look for it for a minute.
 */
export function endSoon(): void {
  setTimeout(() => process.exit(), patienceMs).unref();
}

/** Ends the process quietly once nobody reads what it prints, as `head` does when it has its lines. */
export function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exit();
    });
  }
}
