import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '../domain/problems.ts';

/** A body of one JSON value may pause for this long. */
const bodyPauseMs = 30_000;
/** What a body must bring on average once it has taken that long, in bytes per second. */
const floorRate = 1_000;
/** A stream of lines may pause for longer: whoever sends it may still be making the next line. */
const linePauseMs = 300_000;
/** An answer that its client has not read any of for this long is given up. */
const unreadMs = 60_000;
const checkMs = 5_000;

export interface StallLimits {
  readonly pauseMs: number;
  readonly checkMs: number;
}

/** Settles as `read` does, or rejects with `request-timeout` when the body of the request stalls or arrives too slowly. */
export async function unlessStalled<T>(
  { socket }: Pick<IncomingMessage, 'socket'>,
  read: Promise<T>,
  { pauseMs, checkMs: everyMs }: StallLimits = { pauseMs: bodyPauseMs, checkMs },
): Promise<T> {
  const began = performance.now();
  let [bytes, at] = [socket.bytesRead, began];
  const first = bytes;
  let timer: NodeJS.Timeout | undefined;
  const stalled = new Promise<never>((_, reject) => {
    timer = setInterval(() => {
      const now = performance.now();
      if (socket.bytesRead > bytes) [bytes, at] = [socket.bytesRead, now];
      const isSlow = now - began > pauseMs && (bytes - first) / (now - began) < floorRate / 1_000;
      if (now - at > pauseMs || isSlow)
        reject(
          new Problem('request-timeout', `the body paused for ${pauseMs / 1_000} s, or came too slowly`),
        );
    }, everyMs);
  });
  try {
    return await Promise.race([read, stalled]);
  } finally {
    clearInterval(timer);
  }
}

/** The pieces of a body that is read as it arrives. Throws `request-timeout` when the next one does not come. */
export async function* untilStalled(
  body: AsyncIterable<Uint8Array>,
  pauseMs: number = linePauseMs,
): AsyncGenerator<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]();
  for (;;) {
    let timer: NodeJS.Timeout | undefined;
    const stalled = new Promise<never>((_, reject) => {
      const problem = new Problem('request-timeout', `the body paused for ${pauseMs / 1_000} s`);
      timer = setTimeout(() => reject(problem), pauseMs);
    });
    try {
      const { done, value } = await Promise.race([pieces.next(), stalled]);
      if (done) return;
      yield value;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Closes the connections whose client has stopped reading its answer, so that what the answer holds is freed. */
export function closeUnread(server: Server, limitMs: number = unreadMs, everyMs: number = checkMs): void {
  const sockets = new Map<Socket, { written: number; since: number }>();
  const check = (): void => {
    const now = performance.now();
    for (const [socket, seen] of sockets) {
      const left = socket.bytesWritten - socket.writableLength;
      if (socket.writableLength === 0 || left !== seen.written)
        sockets.set(socket, { written: left, since: now });
      else if (now - seen.since > limitMs) socket.destroy();
    }
  };
  const timer = setInterval(check, everyMs).unref();
  server.on('connection', (socket) => {
    sockets.set(socket, { written: 0, since: performance.now() });
    socket.once('close', () => sockets.delete(socket));
  });
  server.once('close', () => clearInterval(timer));
}
