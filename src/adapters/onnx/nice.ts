import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import path from 'node:path';

/**
 * Lowers the priority of the calling thread: raises its nice value by `by` (0 to 19). Only Linux has a nice value for each
 * thread, where setpriority(2) accepts a thread id. Elsewhere, and without permission, nothing happens.
 */
export function niceThread(by: number): void {
  if (by === 0 || process.platform !== 'linux') return;
  try {
    const thread = Number(path.basename(readlinkSync('/proc/thread-self')));
    if (Number.isInteger(thread) && thread !== process.pid) {
      setPriority(thread, Math.min(19, getPriority(thread) + by));
    }
  } catch {
    // Without /proc or permission the priority stays the same.
  }
}
