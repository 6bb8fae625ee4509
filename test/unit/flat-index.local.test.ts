import { afterEach, beforeEach, expect, it } from 'vitest';
import { v7 as uuid } from 'uuid';
import { FlatIndex } from '../../src/adapters/flat/flat-index.ts';
import { bytesOfVector } from '../../src/adapters/flat/segment.ts';
import type { SqlExecutor } from '../../src/ports/sql.ts';
import type { VectorSet } from '../../src/ports/vector-index.ts';
import { protect } from '../../src/read-models/table.ts';
import { openTestStore, type TestStore } from '../support/event-store.ts';
import { eventually } from '../support/eventually.ts';

const dimension = 16;
const [table, otherTable] = ['read.kept_vectors_a', 'read.kept_vectors_b'];
const acme: VectorSet = { tenant: 'acme', table };
const globex: VectorSet = { tenant: 'globex', table };

let test: TestStore;
let index: FlatIndex;
let errors: unknown[];

beforeEach(async () => {
  test = await openTestStore();
  errors = [];
  for (const name of [table, otherTable]) await create(name);
});

afterEach(async () => {
  await index.close();
  await test.close();
  expect(errors).toEqual([]);
});

async function create(name: string): Promise<void> {
  const columns = `tenant text, memory_id uuid, embedding vector(${dimension}), primary key (tenant, memory_id)`;
  await test.sql.execute([`create table ${name} (${columns})`, ...protect(name)].join(';\n'));
}

async function open({ mostBytes = Infinity, loadAbove = 1_000 } = {}): Promise<void> {
  index = new FlatIndex(test.sql, { loadAbove, mostBytes, onError: (error) => errors.push(error) });
  await index.start();
}

/** A unit vector in a plane, at an angle in hundredths of a radian. The distance of two vectors grows with their angles' difference. */
function at(angle: number): Float32Array {
  const vector = new Float32Array(dimension);
  vector[3] = Math.cos(angle / 100);
  vector[11] = Math.sin(angle / 100);
  return vector;
}

const text = (vector: Float32Array): string => `[${vector.join(',')}]`;

async function insert(executor: SqlExecutor, { tenant, table }: VectorSet, angle: number): Promise<string> {
  const id = uuid();
  await executor.query(`insert into ${table} values ($1, $2, $3::vector)`, [tenant, id, text(at(angle))]);
  return id;
}

async function loaded(set: VectorSet): Promise<void> {
  index.want(set);
  await eventually(() => index.has(set)).toBe(true);
}

async function nearest(angle: number, limit: number, set = acme, executor: SqlExecutor = test.sql) {
  const vectors = await index.vectors(executor, set);
  return vectors?.nearest(at(angle), limit).map(({ id }) => id);
}

it('[A5] compares only the vectors of one tenant, which are loaded on the first request', async () => {
  const ids = [];
  for (const angle of [10, 20, 30]) ids.push(await insert(test.sql, acme, angle));
  await insert(test.sql, globex, 11);
  await open();
  expect(await index.has(acme)).toBe(false);
  expect(await nearest(19, 2)).toBeUndefined();
  await loaded(acme);
  expect(await nearest(19, 2)).toEqual([ids[1], ids[0]]);
  const vectors = await index.vectors(test.sql, acme);
  const among = vectors!.nearest(at(19), 1, [ids[0]!, ids[2]!, uuid()]);
  expect(among).toEqual([{ id: ids[0], cosine: expect.closeTo(Math.cos(0.09), 4) }]);
  expect(vectors!.cosines(at(20), [ids[2]!, uuid()])).toEqual([expect.closeTo(Math.cos(0.1), 5), null]);
  expect(await index.has(globex)).toBe(false);
  expect(index.size).toBe(3);
});

it('[A5] loads the large tenants of the live model soon after a start', async () => {
  await test.sql.execute(
    `insert into read.generations (name, generation, signature, state) values ('vectors', 3, '2/a', 'live');
     insert into read.active (name, generation) values ('vectors', 3)`,
  );
  for (let n = 0; n < 5; n++)
    for (const set of [acme, { tenant: 'acme', table: otherTable }]) await insert(test.sql, set, n);
  for (let n = 0; n < 4; n++) await insert(test.sql, globex, n);
  await open({ loadAbove: 4 });
  await eventually(() => index.has(acme)).toBe(true);
  expect(await index.has(globex)).toBe(false);
  expect(await index.has({ tenant: 'acme', table: otherTable })).toBe(false);
});

it('[A5] reflects committed changes at once, and no uncommitted ones', async () => {
  const [first, second] = [await insert(test.sql, acme, 10), await insert(test.sql, acme, 20)];
  await open();
  await loaded(acme);
  const third = await insert(test.sql, acme, 11);
  expect(await nearest(10, 3)).toEqual([first, third, second]);
  const change = async (tx: SqlExecutor): Promise<void> => {
    await tx.query(`update ${table} set embedding = null where memory_id = $1`, [first]);
    await tx.query(`update ${table} set embedding = $2::vector where memory_id = $1`, [second, text(at(10))]);
    await insert(tx, acme, 12);
    await tx.query(`delete from ${table} where memory_id = $1`, [third]);
  };
  const undone = test.sql.transaction(async (tx) => {
    await change(tx);
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(await nearest(10, 9)).toEqual([first, third, second]);
  await test.sql.transaction(change);
  const found = await test.sql.transaction<readonly string[] | undefined>((tx) => nearest(10, 9, acme, tx), {
    tenant: 'acme',
    readOnly: true,
  });
  expect(found).toHaveLength(2);
  expect(found![0]).toBe(second);
});

it('[A5] applies more changes than it reads at a time, and deletes them from the database', async () => {
  await open();
  await loaded(acme);
  await test.sql.query(
    `insert into ${table} select 'acme', gen_random_uuid(), ('[' || n || ',1' || repeat(',0', ${dimension - 2}) || ']')::vector
     from generate_series(1, 1200) n`,
  );
  await test.sql.query(`delete from ${table} where embedding <-> $1::vector < 100`, [text(at(0))]);
  const [{ count }] = (await test.sql.query<{ count: number }>(`select count(*) as count from ${table}`)) as [
    { count: number },
  ];
  expect(await nearest(0, 5_000)).toHaveLength(count);
  await eventually(() => test.sql.query('select * from read.noted_changes')).toEqual([]);
});

it('[A5] a dropped table loses its vectors, and a recreated one is read again', async () => {
  await insert(test.sql, acme, 10);
  await open();
  await loaded(acme);
  await test.sql.query(`drop table ${table}`);
  await create(table);
  const id = await insert(test.sql, acme, 20);
  // Any request makes the index check its tables.
  index.want({ tenant: 'acme', table: otherTable });
  await eventually(() => index.has(acme)).toBe(false);
  await loaded(acme);
  expect(await nearest(10, 5)).toEqual([id]);
});

it('[A5] the least recently used tenant is evicted, and one that does not fit at all is left to the database', async () => {
  for (let n = 0; n < 10; n++) {
    await insert(test.sql, acme, n);
    await insert(test.sql, globex, n);
    for (const tenant of ['initech', 'large', 'large']) await insert(test.sql, { tenant, table }, n);
  }
  await open({ mostBytes: 25 * bytesOfVector(dimension) });
  await loaded(acme);
  await loaded(globex);
  await nearest(1, 1, globex);
  await nearest(1, 1, acme);
  await loaded({ tenant: 'initech', table });
  expect([await index.has(acme), await index.has(globex)]).toEqual([true, false]);
  for (let n = 0; n < 6; n++) await insert(test.sql, { tenant: 'large', table }, n);
  const large = { tenant: 'large', table };
  index.want(large);
  await loaded(globex);
  expect(await index.has(large)).toBe(false);
});

it('[A5] reads everything again after an outage of the database, which may have lost reported changes', async () => {
  const id = await insert(test.sql, acme, 10);
  const listen = test.sql.listen.bind(test.sql);
  const listeners: ((missed: boolean) => void)[] = [];
  test.sql.listen = (channel, handler) => {
    listeners.push(handler);
    return listen(channel, handler);
  };
  await open();
  await loaded(acme);
  await test.sql.execute(
    `alter table ${table} disable trigger all; delete from ${table}; alter table ${table} enable trigger all`,
  );
  const other = await insert(test.sql, acme, 30);
  expect(await nearest(10, 5)).toEqual([id, other]);
  for (const notify of listeners) notify(true);
  expect(await nearest(10, 5)).toBeUndefined();
  await loaded(acme);
  expect(await nearest(10, 5)).toEqual([other]);
});
