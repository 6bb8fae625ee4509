import { setTimeout as sleep } from 'node:timers/promises';
import { TransportUnavailable } from '../../src/ports/transport.ts';

/** A broker beside other work on a slow machine takes more than one minute. */
const readyMs = 240_000;

/** Repeats `work` while a broker starts. */
export async function untilServed<T>(work: () => Promise<T>): Promise<T> {
  for (const end = Date.now() + readyMs; ; await sleep(200)) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof TransportUnavailable) || Date.now() > end) throw error;
    }
  }
}
