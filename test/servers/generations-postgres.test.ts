import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgres } from '../../src/adapters/postgres/postgres.ts';
import type { Sql } from '../../src/ports/sql.ts';
import {
  createBeside,
  dropGeneration,
  ensureLive,
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

  it('[F4] is dropped although somebody locks its rows and tables in another order', async () => {
    const journal = new Journal('journal');
    await ensureLive(test.sql, journal);
    const { number, tables } = await createBeside(test.sql, journal);
    let dropping: Promise<void> | undefined;
    await somebody.transaction(async (tx) => {
      await tx.query(`select count(*) from ${tables(journal.tables[0]!)}`);
      dropping = dropGeneration(test.sql, journal, number);
      dropping.catch(() => undefined);
      // By now it holds the bookmark, and waits for the table: each waits for the other, and PostgreSQL ends the one.
      await sleep(300);
      await tx.query('select 1 from read.bookmarks where name = $1 and generation = $2 for update', [
        'journal',
        number,
      ]);
    });
    await dropping;
    expect((await readGenerations(test.sql)).map(({ generation }) => generation)).toEqual([1]);
  });
});
