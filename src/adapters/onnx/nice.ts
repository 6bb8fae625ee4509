import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import path from 'node:path';

/**
 * Makes the calling thread give way to the process's others: raises its nice value by `by` (0 to 19). Only Linux gives
 * each thread its own, where setpriority(2) takes a thread id; elsewhere, and where it is not allowed, nothing happens.
 */
export function niceThread(by: number): void {
  if (by === 0 || process.platform !== 'linux') return;
  try {
    const thread = Number(path.basename(readlinkSync('/proc/thread-self')));
    if (Number.isInteger(thread) && thread !== process.pid) {
      setPriority(thread, Math.min(19, getPriority(thread) + by));
    }
  } catch {
    // Without /proc or the right to do it, the thread runs on as before.
  }
}
