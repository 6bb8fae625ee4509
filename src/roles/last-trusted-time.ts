import type { EventLog } from '../ports/event-log.ts';
import { timeAt } from '../queries/past.ts';

/**
 * The latest time that is known to have been, for a process that starts `now`. Events of the last `confirmMs` do not count: if the clock
 * jumped, they have the wrong time, even if a process that was stopped before it believed the jump wrote them.
 */
export async function lastTrustedTime(
  log: Pick<EventLog, 'positionAt' | 'readAll'>,
  now: number,
  confirmMs: number,
): Promise<Date> {
  const position = await log.positionAt(new Date(now - confirmMs));
  if (position > 0) return timeAt(log, position);
  const { events } = await log.readAll({ limit: 1 });
  return events[0]?.time ?? new Date(now);
}
