import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';

/** For how long a refused connection is still read: to close with bytes unread is a reset, which may take the answer from a client that is still sending. */
export const lingerMs = 1_000;

/** `answer` at once, and its end when all of the request was read and thrown away, after `lingerMs` at most. */
export function lingering(answer: Buffer, request: IncomingMessage): Readable {
  return Readable.from(
    (async function* () {
      yield answer;
      await finished(request.resume(), { signal: AbortSignal.timeout(lingerMs) }).catch(() => undefined);
    })(),
    { objectMode: false },
  );
}
