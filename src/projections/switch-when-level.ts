import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../domain/problems.ts';
import type { EventStore, LoadedPage } from '../ports/event-store.ts';
import type { Sql } from '../ports/sql.ts';
import type { Generation } from './generation.ts';
import type { GenerationRow } from './generations.ts';
import { switchTo } from './rebuild.ts';
import type { ProjectionRunner } from './runner.ts';

const levelWaitMs = 5_000;
/** Largest number of events that a switch applies while it holds the locks. */
const maxEventsInSwitch = 2_000;

export interface SwitchServices {
  readonly sql: Sql;
  readonly store: EventStore;
  readonly runner: ProjectionRunner;
}

/**
 * Switches to a generation once it is level with the live one. A generation that has just become ready may be slightly behind, since
 * both follow the log: this waits for it. With several partitions the two are hardly ever level: missing events are then applied during
 * the switch. Rejects with `rebuild-not-ready` if it stays behind.
 */
export async function switchWhenLevel(
  services: SwitchServices,
  row: GenerationRow,
): Promise<{ from: number; to: number }> {
  const deadline = performance.now() + levelWaitMs;
  for (;;) {
    try {
      const ahead = row.checkpoints.size > 1 ? await eventsAhead(services, row) : undefined;
      return await switchTo(services.sql, row.name, row.generation, ahead);
    } catch (error) {
      const isBehind = error instanceof Problem && error.retryAfter !== undefined;
      if (!isBehind || performance.now() >= deadline) throw error;
      await sleep(20);
    }
  }
}

async function eventsAhead(
  { runner, store }: SwitchServices,
  row: GenerationRow,
): Promise<{ generation: Generation; page: LoadedPage } | undefined> {
  const generation = runner.generation(row);
  if (!generation) return undefined;
  const states = await generation.checkpoints.states(generation.partitions);
  const after = Math.min(...states.map(({ position }) => position));
  return { generation, page: await store.readAll({ after, limit: maxEventsInSwitch }) };
}
