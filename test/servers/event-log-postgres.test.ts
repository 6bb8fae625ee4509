import { describe } from 'vitest';
import { openPostgres } from '../../src/adapters/postgres/postgres.ts';
import { openSqlEventLog } from '../../src/adapters/sqllog/sql-event-log.ts';
import { eventLogContract } from '../contract/event-log.ts';
import { freshDatabase } from '../support/database.ts';

if (process.env['STRATALOG_POSTGRES_URL']) {
  eventLogContract('the SQL log on PostgreSQL', async () => {
    const database = await freshDatabase();
    const sql = await openPostgres({ url: database.url });
    const log = await openSqlEventLog(sql);
    return {
      log,
      async close() {
        await log.close();
        await sql.close();
        await database.drop();
      },
    };
  });
} else describe.skip('the SQL log on PostgreSQL: STRATALOG_POSTGRES_URL is not set', () => {});
