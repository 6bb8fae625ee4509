import { describe } from 'vitest';
import { openPostgres } from '../../src/adapters/postgres/postgres.ts';
import { leasesContract } from '../contract/leases.ts';
import { freshDatabase } from '../support/database.ts';

if (process.env['STRATALOG_POSTGRES_URL'])
  leasesContract('PostgreSQL', async () => {
    const database = await freshDatabase();
    const sql = await openPostgres({ url: database.url });
    return {
      sql,
      async close() {
        await sql.close();
        await database.drop();
      },
    };
  });
else describe.skip('leases on PostgreSQL: STRATALOG_POSTGRES_URL is not set', () => {});
