import { ApiError, call, type Connection } from './client.ts';

/** How long the server waits for one request. */
const waitMs = 30_000;
const mostWaits = 10;

/**
 * Waits until lists include everything that was acknowledged before. Says on standard error when that takes long, and
 * throws the server's `position-timeout` if it takes more than five minutes.
 */
export async function untilReadModelsReachHead(connection: Connection): Promise<void> {
  const position = await headOf(connection);
  if (position === undefined) {
    console.error('The server does not tell the head of its log: the latest memories may be missing.');
    return;
  }
  for (let attempt = 1; ; attempt++) {
    try {
      await call(connection, `/v1/memories?limit=1&minPosition=${position}&waitMs=${waitMs}`);
      return;
    } catch (error) {
      const isBehind = error instanceof ApiError && error.problem.code === 'position-timeout';
      if (!isBehind || attempt === mostWaits) throw error;
      console.error('Waiting for the read models to reach the head of the log …');
    }
  }
}

/** The position of the last event; undefined if `/readyz` is not reachable or does not know. */
async function headOf(connection: Connection): Promise<string | undefined> {
  try {
    return (await call<Readiness>(connection, '/readyz')).log.position;
  } catch (error) {
    // A server that is not ready answers 503 with the same document; a proxy may hide the path.
    if (error instanceof ApiError) return (error.problem as Partial<Readiness>).log?.position;
    throw error;
  }
}

interface Readiness {
  readonly log: { readonly position?: string };
}
