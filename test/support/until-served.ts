import { setTimeout as sleep } from 'node:timers/promises';
import { TransportUnavailable } from '../../src/ports/transport.ts';

/** On a slow, busy machine a broker takes more than a minute to start. */
const readyMs = 240_000;

/** Retries `work` until a starting broker answers. */
export async function untilServed<T>(work: () => Promise<T>): Promise<T> {
  for (const end = Date.now() + readyMs; ; await sleep(200)) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof TransportUnavailable) || Date.now() > end) throw error;
    }
  }
}
