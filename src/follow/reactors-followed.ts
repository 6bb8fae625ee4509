import type { EventType } from '../domain/events/registry.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { Sql } from '../ports/sql.ts';
import { pause } from '../support/pause.ts';

/** A reactor, by the name of its checkpoint, and the events that must have been handled. */
export interface FollowedBy {
  readonly name: string;
  readonly types: readonly EventType[];
}

const pollMs = 50;

/**
 * Resolves when each reactor, one after another, has handled all its events that the log has then: what one appends is awaited of the
 * next. Rejects after `patienceMs` without progress, and if a reactor has parked one of the streams.
 */
export async function reactorsFollowed(
  { sql, store }: { readonly sql: Sql; readonly store: EventStore },
  reactors: readonly FollowedBy[],
  patienceMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { logId } = store.log;
  for (const { name, types } of reactors) {
    const { events } = await store.readAll({
      direction: 'backwards',
      limit: 1,
      filter: { types },
      routingOnly: true,
    });
    const wanted = events[0]?.position ?? 0;
    let [reached, moved] = [-1, performance.now()];
    while (!signal.aborted) {
      const [row] = await sql.query<{ readonly position: number; readonly parked: string | null }>(
        `select c.position, (select min(p.stream) from follow.parked p
           where p.name = c.name and p.generation = 0 and p.type = any ($3)) as parked
         from follow.checkpoints c where c.name = $1 and c.generation = 0 and c.partition = $2`,
        [name, logId, types],
      );
      if (row?.parked) throw new Error(`the reactor ${name} has parked ${row.parked}`);
      if ((row?.position ?? 0) >= wanted) break;
      if (row && row.position > reached) [reached, moved] = [row.position, performance.now()];
      if (performance.now() - moved > patienceMs)
        throw new Error(`the reactor ${name} has not followed an erasure within ${patienceMs / 1_000} s`);
      await pause(pollMs, signal);
    }
  }
}
