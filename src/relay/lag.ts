import type { EventLog } from '../ports/event-log.ts';
import type { RelayCheckpoint } from './checkpoint.ts';

export interface RelayLag {
  /** Everything in the log up to this position is in Kafka. */
  readonly checkpoint: number;
  /** Distance to the head: events in the SQL log, bytes in KurrentDB, whose positions are offsets. */
  readonly positionsBehind: number;
  /** Age of the oldest event that is not known to be in Kafka; 0 if there is none. */
  readonly secondsBehind: number;
}

/** How far the topics are behind the log. Any process can compute it. Rejects if the log or the database is unavailable. */
export async function readLag(log: EventLog, checkpoint: RelayCheckpoint): Promise<RelayLag> {
  const position = await checkpoint.read();
  const head = await log.head();
  if (head <= position) return { checkpoint: position, positionsBehind: 0, secondsBehind: 0 };
  const { events } = await log.readAll({ after: position, limit: 1 });
  const oldest = events[0]?.time.getTime() ?? Date.now();
  return {
    checkpoint: position,
    positionsBehind: head - position,
    secondsBehind: Math.max(0, Date.now() - oldest) / 1_000,
  };
}
