import { describe } from 'vitest';
import { openPostgres } from '../../src/adapters/postgres/postgres.ts';
import { sqlContract } from '../contract/sql.ts';

const url = process.env['STRATALOG_POSTGRES_URL'];

if (url) sqlContract('PostgreSQL', () => openPostgres({ url }));
else describe.skip('PostgreSQL as Sql: STRATALOG_POSTGRES_URL is not set', () => {});
