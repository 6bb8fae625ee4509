import { watch } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ConnectionLostError,
  ProblemError,
  TimeoutError,
  UnreachableError,
} from '../../../packages/client/src/index.ts';

/**
 * Runs `run` after each change below the folders until the process is stopped. A run that the server cannot answer just now, or that meets
 * a file which is gone before it is read, is passed to `onFailure` and repeated after `retryMs`. Rejects with any other error.
 */
export async function runAtChanges(
  folders: readonly string[],
  run: () => Promise<unknown>,
  {
    settleMs,
    retryMs,
    onFailure,
  }: {
    /** How long changes are collected: editors write a file in several steps. */
    readonly settleMs: number;
    readonly retryMs: number;
    readonly onFailure: (error: Error) => void;
  },
): Promise<never> {
  let isDue = false;
  let wake: () => void = () => undefined;
  const watchers = folders.map((folder) =>
    watch(folder, { recursive: true }, () => {
      isDue = true;
      wake();
    }),
  );
  try {
    for (;;) {
      if (!isDue) await new Promise<void>((resolve) => (wake = resolve));
      await sleep(settleMs);
      isDue = false;
      try {
        await run();
      } catch (error) {
        if (!isPassing(error)) throw error;
        onFailure(error);
        await sleep(retryMs);
        isDue = true;
      }
    }
  } finally {
    for (const watcher of watchers) watcher.close();
  }
}

function isPassing(error: unknown): error is Error {
  if (error instanceof ProblemError) return error.status >= 500 || error.status === 429;
  const kinds = [UnreachableError, ConnectionLostError, TimeoutError];
  return kinds.some((kind) => error instanceof kind) || (error as NodeJS.ErrnoException).code === 'ENOENT';
}
