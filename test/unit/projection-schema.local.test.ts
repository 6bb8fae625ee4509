import { afterEach, beforeEach, expect, it } from 'vitest';
import { migrate } from '../../src/adapters/migrate.ts';
import { openPglite } from '../../src/adapters/pglite/open.ts';
import { openSqlKeyVault } from '../../src/adapters/vault/sql-key-vault.ts';
import type { Sql } from '../../src/ports/sql.ts';
import { reactorSchema } from '../../src/follow/schema.ts';
import { projectionSchema } from '../../src/projections/schema.ts';

let sql: Sql;

beforeEach(async () => {
  sql = await openPglite();
  await openSqlKeyVault(sql, Buffer.alloc(32));
});

afterEach(() => sql.close());

it('keeps all checkpoints and parked streams of a database without partitions', async () => {
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
    await sql.query('select name, generation, partition, position from follow.checkpoints order by 2'),
  ).toEqual([
    { name: 'memories', generation: 1, partition: 'log', position: 7 },
    { name: 'memories', generation: 2, partition: 'log', position: 9 },
  ]);
  expect(await sql.query('select stream, partition from follow.parked')).toEqual([
    { stream: 'memory-acme.1', partition: 'log' },
  ]);
});

it('[F6] takes over the checkpoints and parked streams of reactors, from every earlier version', async () => {
  await migrate(sql, 'projections', projectionSchema.slice(0, 10));
  await migrate(sql, 'processors', reactorSchema.slice(0, 1));
  await sql.query(`insert into control.erasures (bookmark, log) values (7, 'log-1')`);
  await sql.query(
    `insert into control.processor_checkpoints (processor, log_id, position) values ('outcomes', 'log-1', 11), ('traces', 'log-1', 12)`,
  );
  await sql.query(
    `insert into control.processor_parked (processor, log_id, stream, position, revision, type, error)
       values ('traces', 'log-1', 'memory-acme.1', 8, 2, 'MemoryErased', 'refused')`,
  );
  await migrate(sql, 'projections', projectionSchema);
  await migrate(sql, 'processors', reactorSchema);
  expect(
    await sql.query('select name, generation, partition, position from follow.checkpoints order by 4'),
  ).toEqual([
    { name: 'erasures', generation: 0, partition: 'log-1', position: 7 },
    { name: 'outcomes', generation: 0, partition: 'log-1', position: 11 },
    { name: 'trace-erasures', generation: 0, partition: 'log-1', position: 12 },
  ]);
  expect(await sql.query('select name, stream, partition, revision, error from follow.parked')).toEqual([
    { name: 'trace-erasures', stream: 'memory-acme.1', partition: 'log-1', revision: 2, error: 'refused' },
  ]);
});

it('keeps old vectors in the index when the column for vectors outside the index is added', async () => {
  await migrate(sql, 'projections', projectionSchema.slice(0, 7));
  await sql.execute(
    `create table read.kept_vectors_old (tenant text, memory_id uuid, embedding vector(3), primary key (tenant, memory_id));
       insert into read.kept_vectors_old values ('acme', gen_random_uuid(), '[1,0,0]')`,
  );
  await migrate(sql, 'projections', projectionSchema);
  await sql.execute(`insert into read.kept_vectors_old values ('acme', gen_random_uuid(), '[0,1,0]')`);
  expect(await sql.query('select in_graph from read.kept_vectors_old')).toEqual([
    { in_graph: true },
    { in_graph: true },
  ]);
});
