import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgres } from '../../src/adapters/postgres/postgres.ts';
import type { Sql } from '../../src/ports/sql.ts';
import { CheckpointWriter } from '../../src/follow/checkpoint-writer.ts';
import { CheckpointTable } from '../../src/follow/checkpoints.ts';
import { CheckpointMoved } from '../../src/follow/processor.ts';
import { dropGeneration } from '../../src/projections/drop-generation.ts';
import {
  createBeside,
  ensureLive,
  lockGenerations,
  readGenerations,
} from '../../src/projections/generations.ts';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';
import { openTestStore, type TestStore } from '../support/event-store.ts';
import { Journal } from '../support/journal.ts';

describe('a generation on PostgreSQL', () => {
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

  it('[F4] is dropped although another transaction locks its rows and tables in another order', async () => {
    const journal = new Journal('journal');
    await ensureLive(test.sql, journal);
    const { number, tables } = await createBeside(test.sql, journal);
    let dropping: Promise<void> | undefined;
    await somebody.transaction(async (tx) => {
      await tx.query(`select count(*) from ${tables(journal.tables[0]!)}`);
      dropping = dropGeneration(test.sql, journal, number);
      dropping.catch(() => undefined);
      // By now it has locked the checkpoint and waits for the table: a deadlock, for which PostgreSQL aborts one transaction.
      await sleep(300);
      await tx.query('select 1 from follow.checkpoints where name = $1 and generation = $2 for update', [
        'journal',
        number,
      ]);
    });
    await dropping;
    expect((await readGenerations(test.sql)).map(({ generation }) => generation)).toEqual([1]);
  });

  it('[F4] that is compared or switched does not block the checkpoints of others', async () => {
    const [held, free] = ['held', 'free'].map((name) => new Journal(name));
    for (const journal of [held!, free!]) await ensureLive(test.sql, journal);
    const checkpointWriter = new CheckpointWriter(test.sql, { lingerMs: 1, restMs: 0 });
    const write = ({ name }: Journal, from: number, to: number) =>
      checkpointWriter.write({ of: new CheckpointTable(test.sql, name, 1), partition: 'log', from, to });
    const checkpoints = async () => {
      const rows = await readGenerations(test.sql);
      return Object.fromEntries(rows.map(({ name, checkpoints: of }) => [name, of.get('log')]));
    };
    let later: Promise<void> | undefined;
    await somebody.transaction(async (tx) => {
      await lockGenerations(tx, held!.name);
      later = write(held!, 0, 7);
      await write(free!, 0, 7);
      await write(free!, 7, 8);
      expect(await checkpoints()).toMatchObject({ held: 0, free: 8 });
    });
    await later;
    expect(await checkpoints()).toMatchObject({ held: 7, free: 8 });
    const moves = [write(held!, 0, 9), write(free!, 8, 9)];
    await expect(moves[0]).rejects.toBeInstanceOf(CheckpointMoved);
    await moves[1];
    expect(await checkpoints()).toMatchObject({ held: 7, free: 9 });
  });
});
