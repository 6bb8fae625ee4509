import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openPglite } from '../../src/adapters/pglite/open.ts';
import { openSqlEventLog } from '../../src/adapters/sqllog/sql-event-log.ts';
import { freshStream, storedEvents, type LogUnderTest } from '../support/log-events.ts';
import { eventLogContract } from './event-log.ts';
import { sqlEventLogContract } from './sql-event-log.ts';

const folders: string[] = [];

afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function freshFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'stratalog-log-'));
  folders.push(folder);
  return folder;
}

async function openLog(dataDir: string): Promise<LogUnderTest> {
  const sql = await openPglite({ dataDir });
  const log = await openSqlEventLog(sql);
  return {
    log,
    async close() {
      await log.close();
      await sql.close();
    },
  };
}

eventLogContract('the SQL log on PGlite on disk', async () => openLog(await freshFolder()));
sqlEventLogContract('the SQL log on PGlite on disk', async () => openLog(await freshFolder()));

describe('the SQL log on disk', () => {
  it('is the same log after it is closed and reopened', async () => {
    const folder = await freshFolder();
    const stream = freshStream();
    const events = storedEvents(3);
    const first = await openLog(folder);
    const result = await first.log.append(stream, 'noStream', events);
    const written = await first.log.readStream(stream);
    await first.close();
    const second = await openLog(folder);
    expect(second.log.logId).toBe(first.log.logId);
    expect(await second.log.head()).toBe(result.position);
    expect(await second.log.readStream(stream)).toEqual(written);
    expect(await second.log.append(stream, 'noStream', events)).toEqual({ ...result, repeated: true });
    await second.close();
  });
});
