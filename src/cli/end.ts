const patienceMs = 1_000;

/**
 * Lets what is printed go out, then ends the process although something still keeps it: a client of a server that does
 * not answer may look for it for a minute.
 */
export function endSoon(): void {
  setTimeout(() => process.exit(), patienceMs).unref();
}
