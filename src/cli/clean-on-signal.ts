import { constants } from 'node:os';

const ending = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Has `clean` done first where a signal ends the process. What it answers leaves the signals to others again. */
export function cleanOnSignal(clean: () => void): () => void {
  const leaveSignals = (): void => {
    for (const signal of ending) process.off(signal, end);
  };
  const end = (signal: (typeof ending)[number]): void => {
    clean();
    leaveSignals();
    // By the signal itself, which shells show as 130 or 143: an exit waits for a read of a silent pipe.
    process.kill(process.pid, signal);
    // The first process of a container is not ended by it.
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of ending) process.on(signal, end);
  return leaveSignals;
}
