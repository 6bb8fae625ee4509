import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  DataDirectoryLocked,
  DataDirectoryTooNew,
  DataDirectoryUnusable,
} from '../../src/adapters/pglite/errors.ts';
import { dataFormat, openPglite } from '../../src/adapters/pglite/open.ts';
import { SqlUnavailable } from '../../src/ports/sql.ts';
import { ChildProgram } from '../support/child-program.ts';

describe('a data folder', { timeout: 60_000 }, () => {
  let home: string;
  let holder: ChildProgram;
  let count = 0;
  const newFolder = (): string => path.join(home, `data-${++count}`);

  beforeAll(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'stratalog-data-'));
    holder = await ChildProgram.bundle('pglite-holder.ts');
  }, 300_000);

  afterAll(async () => {
    await holder.dispose();
    await rm(home, { recursive: true, force: true });
  });

  it('keeps what was written when it is opened again', async () => {
    const dataDir = newFolder();
    const first = await openPglite({ dataDir });
    await first.execute('create table t (a int); insert into t values (1)');
    await first.close();
    expect(await readFile(path.join(dataDir, 'VERSION'), 'utf8')).toBe(`${dataFormat}\n`);
    const second = await openPglite({ dataDir });
    expect(await second.query('select a from t')).toEqual([{ a: 1 }]);
    await second.close();
  });

  it('cannot be opened a second time until it is closed, even in the same process or by another path', async () => {
    const dataDir = newFolder();
    const sql = await openPglite({ dataDir });
    const again = openPglite({ dataDir: path.join(dataDir, '..', path.basename(dataDir)) });
    await expect(again).rejects.toMatchObject({
      name: 'DataDirectoryLocked',
      directory: dataDir,
      pid: process.pid,
    });
    expect(await sql.query('select 1 as one')).toEqual([{ one: 1 }]);
    await sql.close();
    await (await openPglite({ dataDir })).close();
  });

  it('names the process that uses it, and is released when that process is killed', async () => {
    const dataDir = newFolder();
    const other = holder.start(dataDir);
    expect(await other.line()).toBe(`open ${other.process.pid}`);
    await expect(openPglite({ dataDir })).rejects.toMatchObject({ pid: other.process.pid });
    await other.end('SIGKILL');
    await (await openPglite({ dataDir })).close();
  });

  it('cannot be opened while the process that uses it is frozen', async () => {
    const dataDir = newFolder();
    const other = holder.start(dataDir);
    await other.line();
    other.process.kill('SIGSTOP');
    await expect(openPglite({ dataDir })).rejects.toBeInstanceOf(DataDirectoryLocked);
    other.process.kill('SIGCONT');
    await other.end('SIGKILL');
  });

  it('is opened by exactly one of many processes after a crash', async () => {
    const dataDir = newFolder();
    const dead = holder.start(dataDir);
    await dead.line();
    await dead.end('SIGKILL');
    const rivals = Array.from({ length: 4 }, () => holder.start(dataDir));
    const words = await Promise.all(rivals.map((rival) => rival.line()));
    expect(words.filter((word) => word.startsWith('open'))).toHaveLength(1);
    expect(words.filter((word) => word.includes('DataDirectoryLocked'))).toHaveLength(3);
    await Promise.all(rivals.map((rival) => rival.end('SIGKILL')));
  });

  it('can have a longer path than a socket', async () => {
    const dataDir = path.join(newFolder(), 'a'.repeat(90), 'b'.repeat(90));
    const sql = await openPglite({ dataDir });
    await expect(openPglite({ dataDir })).rejects.toBeInstanceOf(DataDirectoryLocked);
    await sql.close();
    await (await openPglite({ dataDir })).close();
  });

  it('of a newer format is refused and not changed', async () => {
    const dataDir = newFolder();
    await mkdir(dataDir);
    await writeFile(path.join(dataDir, 'VERSION'), `${dataFormat + 1}\n`);
    const newer = openPglite({ dataDir });
    await expect(newer).rejects.toMatchObject({ found: dataFormat + 1, supported: dataFormat });
    await expect(newer).rejects.toBeInstanceOf(DataDirectoryTooNew);
    await writeFile(path.join(dataDir, 'VERSION'), `${dataFormat}\n`);
    await (await openPglite({ dataDir })).close();
  });

  it('of unknown format is refused', async () => {
    const dataDir = newFolder();
    await mkdir(path.join(dataDir, 'pg'), { recursive: true });
    await expect(openPglite({ dataDir })).rejects.toBeInstanceOf(DataDirectoryUnusable);
    const garbled = newFolder();
    await mkdir(garbled);
    await writeFile(path.join(garbled, 'VERSION'), 'one\n');
    await expect(openPglite({ dataDir: garbled })).rejects.toBeInstanceOf(DataDirectoryUnusable);
  });

  it('keeps every acknowledged row if its process is killed while writing', async () => {
    const dataDir = newFolder();
    for (let round = 1; round <= 2; round++) {
      const writer = holder.start(dataDir, 'write');
      let acknowledged = 0;
      await writer.line();
      for (let row = 0; row < 200; row++) acknowledged = Number(await writer.line());
      await writer.end('SIGKILL');
      for (;;) {
        const line = await writer.line().catch(() => undefined);
        if (line === undefined) break;
        acknowledged = Number(line);
      }
      const sql = await openPglite({ dataDir });
      const [row] = await sql.query<{ n: number; last: number }>(
        'select count(*) as n, max(n) as last from number',
      );
      // At most the insert in progress may be there without having been acknowledged.
      expect(row!.last - acknowledged).toBeOneOf([0, 1]);
      expect(row!.n).toBe(row!.last);
      await sql.close();
    }
  });

  it('is reopened automatically if PostgreSQL ends inside the process', async () => {
    const sql = await openPglite({ dataDir: newFolder() });
    await sql.execute('create table t (a int); insert into t values (1)');
    const missed: boolean[] = [];
    await sql.listen('news', (others) => missed.push(others));
    // PGlite cannot run programs, and ends when it tries.
    const end = sql.query(`copy (select 1) to program 'cat'`);
    const behind = sql.query('select 1');
    await expect(end).rejects.toBeInstanceOf(SqlUnavailable);
    await expect(behind).rejects.toBeInstanceOf(SqlUnavailable);
    await expect
      .poll(() => sql.query('select a from t').catch(() => 'not yet'), { timeout: 20_000 })
      .toEqual([{ a: 1 }]);
    // A listener is woken once after the outage, because it may have missed notifications, and receives new ones.
    expect(missed).toEqual([true]);
    await sql.query('notify news');
    await expect.poll(() => missed).toEqual([true, false]);
    await sql.close();
  });
});
