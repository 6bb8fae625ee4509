import { expect, it } from 'vitest';
import { migrate } from '../../src/adapters/migrate.ts';
import { openPglite } from '../../src/adapters/pglite/open.ts';
import { openSqlKeyVault } from '../../src/adapters/vault/sql-key-vault.ts';
import { projectionSchema } from '../../src/projections/schema.ts';

it('keeps every bookmark and every parked stream of a database from before there were partitions', async () => {
  const sql = await openPglite();
  try {
    await openSqlKeyVault(sql, Buffer.alloc(32));
    await migrate(sql, 'projections', projectionSchema.slice(0, 2));
    await sql.query(
      `insert into read.generations (name, generation, signature, state, bookmark)
       values ('memories', 1, '1', 'standby', 7), ('memories', 2, '1', 'live', 9)`,
    );
    await sql.query(
      `insert into read.parked (name, generation, stream, position, revision, type, error)
       values ('memories', 2, 'memory-acme.1', 8, 0, 'MemoryStored', '')`,
    );
    await migrate(sql, 'projections', projectionSchema);
    expect(
      await sql.query('select name, generation, partition, bookmark from read.bookmarks order by 2'),
    ).toEqual([
      { name: 'memories', generation: 1, partition: 'log', bookmark: 7 },
      { name: 'memories', generation: 2, partition: 'log', bookmark: 9 },
    ]);
    expect(await sql.query('select stream, partition from read.parked')).toEqual([
      { stream: 'memory-acme.1', partition: 'log' },
    ]);
  } finally {
    await sql.close();
  }
});
