import { afterAll, beforeAll, beforeEach } from 'vitest';
import { Generation } from '../../src/projections/generation.ts';
import { ensureLive } from '../../src/projections/generations.ts';
import { undivided, type Partitioning } from '../../src/follow/partitions.ts';
import { openTestStore, type TestStore } from './event-store.ts';
import { Journal } from './journal.ts';
import { startAfresh } from './read-models.ts';

/** An event store with a journal as its only read model, and the journal's live generation. */
export interface JournalStore extends TestStore {
  journal: Journal;
  live: Generation;
}

/** A store for a test file, without events or faults at the beginning of each test. */
export function useJournalStore(partitioning: Partitioning = undivided): JournalStore {
  const test = {} as JournalStore;
  beforeAll(async () => {
    Object.assign(test, await openTestStore());
  });
  afterAll(() => test.close());
  beforeEach(async () => {
    test.sql.fault = () => undefined;
    await startAfresh(test);
    test.journal = new Journal('journal');
    test.live = await beginLive(test, test.journal, partitioning);
  });
  return test;
}

/** Begins the live generation of another read model. */
export async function beginLive(
  { sql }: TestStore,
  journal: Journal,
  partitioning: Partitioning = undivided,
): Promise<Generation> {
  await ensureLive(sql, journal, partitioning);
  return new Generation(sql, journal, 1, partitioning);
}
