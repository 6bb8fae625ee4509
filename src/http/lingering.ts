import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';

/**
 * How long a refused connection is still read. Closing it with unread bytes would reset it, and a client that is still
 * sending might lose the answer.
 */
export const lingerMs = 1_000;

/** Sends `answer` at once, then ends when the rest of the request was read and discarded, after `lingerMs` at the latest. */
export function lingering(answer: Buffer, request: IncomingMessage): Readable {
  return Readable.from(
    (async function* () {
      yield answer;
      await finished(request.resume(), { signal: AbortSignal.timeout(lingerMs) }).catch(() => undefined);
    })(),
    { objectMode: false },
  );
}
