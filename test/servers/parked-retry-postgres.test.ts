import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgres } from '../../src/adapters/postgres/postgres.ts';
import type { Sql } from '../../src/ports/sql.ts';
import { CheckpointMoved } from '../../src/follow/processor.ts';
import { Generation } from '../../src/projections/generation.ts';
import { ensureLive } from '../../src/projections/generations.ts';
import { retryParked } from '../../src/follow/parked-streams.ts';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';
import { openTestStore, storeTestMemory, updateTestMemory, type TestStore } from '../support/event-store.ts';
import { Journal } from '../support/journal.ts';

describe('a parked stream on PostgreSQL', () => {
  let database: FreshDatabase;
  let test: TestStore;
  let somebody: Sql;

  beforeAll(async () => {
    database = await freshDatabase();
    test = await openTestStore(await openPostgres({ url: database.url }));
    somebody = await openPostgres({ url: database.url });
  });

  afterAll(async () => {
    await somebody?.close();
    await test?.close();
    await database?.drop();
  });

  it('[G4] loses no event that its projection parks during a retry', async () => {
    const journal = new Journal('journal');
    journal.onEvent = () => {
      throw new Error('refused');
    };
    await ensureLive(test.sql, journal);
    const generation = new Generation(test.sql, journal, 1);
    const pageAfter = (after: number) => test.store.readAll({ after, limit: 100 });
    const { stream } = await storeTestMemory(test, { content: 'poison' });
    await generation.apply(await pageAfter(0), await generation.checkpoint());
    journal.onEvent = () => {};
    await updateTestMemory(test, stream, 'later');
    const state = await generation.checkpoint();
    expect([...state.parked]).toEqual([stream]);
    const page = await pageAfter(state.position);

    let retried: Promise<boolean> | undefined;
    let applied: Promise<unknown> | undefined;
    await somebody.transaction(async (tx) => {
      await tx.query('lock table read.journal_g1 in share mode');
      // The retry has locked the checkpoint and waits for the table; the projection waits for the checkpoint.
      retried = retryParked(generation, test, stream);
      await sleep(300);
      applied = generation.apply(page, state).catch((error: unknown) => error);
      await sleep(300);
    });
    expect(await retried).toBe(true);
    expect(await applied).toBeInstanceOf(CheckpointMoved);
    const now = await generation.checkpoint();
    await generation.apply(await pageAfter(now.position), now);
    expect(await journal.texts(test.sql)).toEqual(['poison', 'later']);
  });
});
