import { describe } from 'vitest';
import { openPostgres } from '../../src/adapters/postgres/postgres.ts';
import { openSqlEventLog } from '../../src/adapters/sqllog/sql-event-log.ts';
import { eventLogContract } from '../contract/event-log.ts';
import { keyedAppendContract } from '../contract/keyed-append.ts';
import { sqlEventLogContract } from '../contract/sql-event-log.ts';
import type { LogUnderTest } from '../support/log-events.ts';
import { freshDatabase } from '../support/database.ts';

async function openLog(): Promise<LogUnderTest> {
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
}

if (process.env['STRATALOG_POSTGRES_URL']) {
  eventLogContract('the SQL log on PostgreSQL', openLog);
  sqlEventLogContract('the SQL log on PostgreSQL', openLog);
  keyedAppendContract('log and vault in one PostgreSQL', async () => {
    const database = await freshDatabase();
    const sql = await openPostgres({ url: database.url });
    const close = sql.close.bind(sql);
    return Object.assign(sql, { close: () => close().then(() => database.drop()) });
  });
} else describe.skip('the SQL log on PostgreSQL: STRATALOG_POSTGRES_URL is not set', () => {});
