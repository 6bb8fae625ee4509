import {
  isProblem,
  ProblemError,
  type ReadyzAnswer,
  type Stratalog,
} from '../../packages/client/src/index.ts';

/** How long the server waits for one request. */
export const waitMs = 30_000;
const maxWaits = 10;

/**
 * Waits until lists include everything that was acknowledged before. Says on standard error when that takes long, and
 * throws the server's `position-timeout` if it takes more than five minutes. Returns the
 * position of the head; undefined if the server does not tell it.
 */
export async function untilReadModelsReachHead(client: Stratalog): Promise<string | undefined> {
  const position = await headOf(client);
  if (position === undefined) {
    console.error('The server does not tell the head of its log: the latest memories may be missing.');
    return undefined;
  }
  for (let attempt = 1; ; attempt++) {
    try {
      await client.memories.list({ limit: 1, minPosition: position, waitMs });
      return position;
    } catch (error) {
      if (!isProblem(error, 'position-timeout') || attempt === maxWaits) throw error;
      console.error('Waiting for the read models to reach the head of the log …');
    }
  }
}

/** The position of the last event; undefined if `/readyz` is not reachable or does not know. */
async function headOf(client: Stratalog): Promise<string | undefined> {
  try {
    const { log }: Partial<ReadyzAnswer> = await client.readiness();
    return log && 'position' in log ? log.position : undefined;
  } catch (error) {
    // A proxy may hide the path.
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}

/** The number in a position token, by which positions of one log are ordered. */
export function positionNumber(token: string): number {
  return Number.parseInt(token.slice(token.indexOf('-') + 1), 36);
}
