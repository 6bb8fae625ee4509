import type { EventLog } from '../ports/event-log.ts';
import type { Checkpoint } from './checkpoint.ts';

export interface RelayLag {
  /** Everything up to this position of the log is in Kafka. */
  readonly checkpoint: number;
  /** Distance to the head: events in the SQL log, bytes in KurrentDB, whose positions are offsets. */
  readonly positionsBehind: number;
  /** The age of the oldest event that is not known to be in Kafka; 0 where all are. */
  readonly secondsBehind: number;
}

/** How far the topics are behind the log; any process may ask. Rejects where the log or the database does not answer. */
export async function readLag(log: EventLog, checkpoint: Checkpoint): Promise<RelayLag> {
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
