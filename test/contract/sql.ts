import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SqlUnavailable, type Sql } from '../../src/ports/sql.ts';
import { extensionContract } from './sql-extensions.ts';
import { repetitionContract } from './sql-repetition.ts';
import { statementContract } from './sql-statements.ts';
import { tenantContract } from './sql-tenants.ts';
import { transactionContract } from './sql-transactions.ts';

/** Shared by the parts of the contract. `sql` is defined when the tests run. */
export interface ContractDatabase {
  readonly sql: Sql;
  /** Contains `item` and `secret`; the query role may use it and read `item`. */
  readonly schema: string;
  /** `(id int primary key, tenant text, label text)`, under row-level security by tenant. */
  readonly item: string;
  empty(): Promise<void>;
  labels(): Promise<unknown[]>;
}

/** Contract of every `Sql`. `open` returns a new handle each time. */
export function sqlContract(name: string, open: () => Promise<Sql>): void {
  describe(`${name} as Sql`, () => {
    const schema = `contract_${randomBytes(4).toString('hex')}`;
    const item = `${schema}.item`;
    let sql: Sql;

    beforeAll(async () => {
      sql = await open();
      await sql.execute(`
        create schema ${schema};
        grant usage on schema ${schema} to stratalog_query;
        create table ${item} (id int primary key, tenant text not null, label text check (label <> 'bad'));
        create table ${schema}.secret (id int);
        alter table ${item} enable row level security;
        alter table ${item} force row level security;
        create policy tenant_rows on ${item} to stratalog_query
          using (tenant = current_setting('app.tenant', true));
        create policy owner_rows on ${item} to current_user using (true);
        grant select on ${item} to stratalog_query;
      `);
    });

    afterAll(async () => {
      await sql.execute(`drop schema if exists ${schema} cascade`);
      await sql.close();
    });

    const db: ContractDatabase = {
      get sql() {
        return sql;
      },
      schema,
      item,
      empty: () => sql.execute(`delete from ${item}`),
      labels: async () =>
        (await sql.query(`select label from ${item} order by id`)).map(({ label }) => label),
    };
    statementContract(db);
    repetitionContract(db);
    transactionContract(db);
    tenantContract(db);
    extensionContract(db);

    it('rejects everything as unavailable once closed', async () => {
      const other = await open();
      const last = other.query('select 1 as one');
      await Promise.all([other.close(), other.close()]);
      expect(await last).toEqual([{ one: 1 }]);
      for (const use of [
        () => other.query('select 1'),
        () => other.queryAs('a', 'select 1'),
        () => other.execute('select 1'),
        () => other.transaction(async () => {}),
        () => other.listen('x', () => {}),
      ])
        await expect(use()).rejects.toBeInstanceOf(SqlUnavailable);
    });
  });
}
