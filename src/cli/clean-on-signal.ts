import { constants } from 'node:os';

const ending = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs `clean` before a signal ends the process. Returns a function that removes the signal handlers again. */
export function cleanOnSignal(clean: () => void): () => void {
  const leaveSignals = (): void => {
    for (const signal of ending) process.off(signal, end);
  };
  const end = (signal: (typeof ending)[number]): void => {
    clean();
    leaveSignals();
    // End by the signal itself, which shells report as 130 or 143: `exit` would wait for a pending read of a pipe.
    process.kill(process.pid, signal);
    // A signal whose default action is to end the process does not end process 1 of a container.
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of ending) process.on(signal, end);
  return leaveSignals;
}
