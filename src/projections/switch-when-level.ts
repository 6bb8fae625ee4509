import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../domain/problems.ts';
import type { EventStore, LoadedPage } from '../ports/event-store.ts';
import type { Sql } from '../ports/sql.ts';
import type { Generation } from './generation.ts';
import type { GenerationRow } from './generations.ts';
import { switchTo } from './rebuild.ts';
import type { ProjectionRunner } from './runner.ts';

const levelWaitMs = 5_000;
/** What a switch applies at most, while it holds the locks. */
const levelEvents = 2_000;

/** What a switch works with. */
export interface SwitchServices {
  readonly sql: Sql;
  readonly store: EventStore;
  readonly runner: ProjectionRunner;
}

/**
 * A generation that is just ready trails the live one for moments, as both follow the log: it is waited for. Where
 * both move each partition by itself they are hardly ever level: then it is brought there. Rejects with
 * `rebuild-not-ready` where it stays behind.
 */
export async function switchWhenLevel(
  services: SwitchServices,
  row: GenerationRow,
): Promise<{ from: number; to: number }> {
  const deadline = performance.now() + levelWaitMs;
  for (;;) {
    try {
      const ahead = row.bookmarks.size > 1 ? await whatIsAhead(services, row) : undefined;
      return await switchTo(services.sql, row.name, row.generation, ahead);
    } catch (error) {
      const trails = error instanceof Problem && error.retryAfter !== undefined;
      if (!trails || performance.now() >= deadline) throw error;
      await sleep(20);
    }
  }
}

async function whatIsAhead(
  { runner, store }: SwitchServices,
  row: GenerationRow,
): Promise<{ generation: Generation; page: LoadedPage } | undefined> {
  const generation = runner.generation(row);
  if (!generation) return undefined;
  const states = await generation.bookmarks.states(generation.partitions);
  const after = Math.min(...states.map(({ bookmark }) => bookmark));
  return { generation, page: await store.readAll({ after, limit: levelEvents }) };
}
