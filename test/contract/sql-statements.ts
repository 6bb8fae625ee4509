import {
  array,
  assert,
  asyncProperty,
  bigInt,
  boolean,
  date,
  double,
  integer,
  jsonValue,
  option,
  record,
  string,
  uuid,
  type Arbitrary,
} from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnOf, type ColumnType } from '../../src/support/columns.ts';
import { SqlUnavailable, sqlState } from '../../src/ports/sql.ts';
import type { ContractDatabase } from './sql.ts';

/** Values, parameters, single statements and scripts. */
export function statementContract(db: ContractDatabase): void {
  const add = `insert into ${db.item} values ($1, $2, $3)`;

  describe('values', () => {
    it('are returned as their JavaScript counterparts', async () => {
      const [row] = await db.sql
        .query(`select 9007199254740991::int8 as big, 7::int4 as int, 1.5::float8 as float,
        true as bool, 'é🌍' as text, null as nothing, 12.50::numeric as exact, '{"a":[1,null]}'::jsonb as json,
        '\\x00ff'::bytea as bytes, '2026-01-02 03:04:05.678+02'::timestamptz as at,
        'a2f1e8f2-6a0e-4c39-9f5e-1f3f6f0b0c11'::uuid as id`);
      expect(row).toEqual({
        big: 9007199254740991,
        int: 7,
        float: 1.5,
        bool: true,
        text: 'é🌍',
        nothing: null,
        exact: '12.50',
        json: { a: [1, null] },
        bytes: new Uint8Array([0, 255]),
        at: new Date('2026-01-02T01:04:05.678Z'),
        id: 'a2f1e8f2-6a0e-4c39-9f5e-1f3f6f0b0c11',
      });
      expect(row!['bytes']!.constructor).toBe(Uint8Array);
    });

    it('are returned from arrays of any content', async () => {
      const [row] = await db.sql.query(`select array['a,b', 'c"d\\e', '', null, 'NULL', '{}'] as text,
        array[1, null, 3]::int8[] as big, array[[1, 2], [3, 4]] as nested, '{}'::int[] as none,
        array[true, false] as bool, '[0:1]={5,6}'::int[] as shifted`);
      expect(row).toEqual({
        text: ['a,b', 'c"d\\e', '', null, 'NULL', '{}'],
        big: [1, null, 3],
        nested: [
          [1, 2],
          [3, 4],
        ],
        none: [],
        bool: [true, false],
        shifted: [5, 6],
      });
    });

    it('are bound with their types', async () => {
      const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
      const at = new Date('2026-03-01T12:00:00.123Z');
      const [row] = await db.sql.query(
        `select $1::text is null as nothing, $2::bytea as bytes, $3::timestamptz as at, ($4::int8)::text as big,
          $5::bool as yes, $6::float8 as float, $7::jsonb as json, $8::int[] as ints, $9::text[] as texts`,
        [null, bytes, at, 9223372036854775807n, true, -0.25, '{"a":"b"}', [1, 2], []],
      );
      expect(row).toEqual({
        nothing: true,
        bytes,
        at,
        big: '9223372036854775807',
        yes: true,
        float: -0.25,
        json: { a: 'b' },
        ints: [1, 2],
        texts: [],
      });
    });

    it('are vectors, alone and in an array', async () => {
      const one = Float32Array.from([0.1, -2.5, 3e-7]);
      const other = Float32Array.from([1, 0, -1]);
      const [row] = await db.sql.query<{ one: string; many: string; near: number }>(
        `select $1::vector::text as one, (array[$1, $2]::vector[])::text as many, ($1::vector <=> $1::vector) as near`,
        [one, other],
      );
      expect(row).toEqual({ one: '[0.1,-2.5,3e-07]', many: '{"[0.1,-2.5,3e-07]","[1,0,-1]"}', near: 0 });
    });

    it('keep any text, alone and in an array', async () => {
      const text = string({ unit: 'binary', maxLength: 40 }).filter((value) => !value.includes('\0'));
      await assert(
        asyncProperty(text, array(text, { maxLength: 5 }), async (one, many) => {
          const [row] = await db.sql.query('select $1::text as one, $2::text[] as many', [one, many]);
          expect(row).toEqual({ one, many });
        }),
        { numRuns: 50 },
      );
    });

    it('keep any column, including nulls', async () => {
      const text = string({ unit: 'binary', maxLength: 40 }).filter((value) => !value.includes('\0'));
      const orNull = <Value>(of: Arbitrary<Value>) => option(of, { nil: null });
      const row = record({
        text: orNull(text),
        uuid: orNull(uuid()),
        integer: orNull(integer()),
        bigint: orNull(bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)),
        boolean: orNull(boolean()),
        double: orNull(double({ noNaN: true, noDefaultInfinity: true })),
        time: orNull(date({ min: new Date(-1e13), max: new Date(1e13), noInvalidDate: true })),
        json: orNull(
          jsonValue({ maxDepth: 2 }).filter((value) => !JSON.stringify(value).includes('\\u0000')),
        ),
      });
      const types: Record<string, ColumnType> = {
        text: 'text',
        uuid: 'uuid',
        integer: 'integer',
        bigint: 'bigint',
        boolean: 'boolean',
        double: 'double precision',
        time: 'timestamptz',
        json: 'jsonb',
      };
      const names = Object.keys(types);
      const arrays = Object.values(types).map((type, index) => `$${index + 1}::${type}[]`);
      await assert(
        asyncProperty(array(row, { maxLength: 20 }), async (rows) => {
          const columns = names.map((name) =>
            columnOf(
              types[name]!,
              rows.map((values) => values[name as keyof typeof values]),
            ),
          );
          const found = await db.sql.query(
            `select text, uuid, integer, bigint::text, boolean, double, time, json::text
             from unnest(${arrays.join(', ')}) as bound(${names.join(', ')})`,
            columns,
          );
          const read = (json: string): unknown => JSON.parse(json);
          expect(found.map(({ json, ...values }) => ({ ...values, json: read(String(json)) }))).toEqual(
            rows.map(({ json, ...values }) => ({ ...values, json: read(JSON.stringify(json)) })),
          );
        }),
        { numRuns: 50 },
      );
    });

    it('can be many rows', async () => {
      const rows = await db.sql.query<{ n: number }>(
        'select n::int8 as n from generate_series(1, $1::int) n',
        [20_000],
      );
      expect(rows).toHaveLength(20_000);
      expect(rows.at(-1)).toEqual({ n: 20_000 });
    });
  });

  describe('statements', () => {
    it('report which constraint they violate', async () => {
      // Without row-level security, under which PostgreSQL does not report the values.
      const insert = `insert into ${db.schema}.keyed values (1)`;
      await db.sql.execute(`create table ${db.schema}.keyed (id int primary key); ${insert}`);
      await expect(db.sql.query(insert)).rejects.toMatchObject({
        code: '23505',
        constraint: 'keyed_pkey',
        detail: expect.stringContaining('(id)=(1)'),
        table: 'keyed',
      });
      await db.empty();
      await db.sql.query(add, [1, 'a', 'x']);
      await expect(db.sql.query(add, [2, 'a', 'bad'])).rejects.toMatchObject({ code: '23514' });
      const error = await db.sql.query('select * from missing').catch((thrown: unknown) => thrown);
      expect(sqlState(error)).toBe('42P01');
      expect(error).not.toBeInstanceOf(SqlUnavailable);
      expect(await db.labels()).toEqual(['x']);
    });

    it('that recurse too deeply fail without affecting others', async () => {
      await db.sql.execute(`create function ${db.schema}.deeper(n int) returns int language plpgsql
        as $$ begin return ${db.schema}.deeper(n + 1); end $$`);
      await expect(db.sql.query(`select ${db.schema}.deeper(1)`)).rejects.toMatchObject({ code: '54001' });
      expect(await db.sql.query('select 1 as one')).toEqual([{ one: 1 }]);
    });

    it('must be sent one at a time, with and without parameters', async () => {
      await expect(db.sql.query('select 1; select 2')).rejects.toMatchObject({ code: '42601' });
      await expect(db.sql.query('select $1::int; select 2', [1])).rejects.toMatchObject({ code: '42601' });
    });

    it('of a script run one after another outside a transaction', async () => {
      await db.sql.execute(`
        -- a comment; with a semicolon
        create function ${db.schema}.twice(n int) returns int language plpgsql as $body$ begin return n * 2; end $body$;
        insert into ${db.schema}.secret values (1);
        vacuum ${db.schema}.secret;
        insert into ${db.schema}.secret select ${db.schema}.twice(length(';'));
      `);
      expect(await db.sql.query(`select id from ${db.schema}.secret order by id`)).toEqual([
        { id: 1 },
        { id: 2 },
      ]);
      const failing = `insert into ${db.schema}.secret values (3); select 1 / 0; insert into ${db.schema}.secret values (4)`;
      await expect(db.sql.execute(failing)).rejects.toMatchObject({ code: '22012' });
      expect(await db.sql.query(`select max(id) as id from ${db.schema}.secret`)).toEqual([{ id: 3 }]);
    });

    it('see times in UTC', async () => {
      expect(await db.sql.query(`select '2026-01-01T00:00:00Z'::timestamptz::text as at`)).toEqual([
        { at: '2026-01-01 00:00:00+00' },
      ]);
    });
  });
}
