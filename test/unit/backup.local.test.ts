import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPglite } from '../../src/adapters/pglite/open.ts';
import { LogIncomplete, openSqlEventLog } from '../../src/adapters/sqllog/sql-event-log.ts';
import { openSqlKeyVault } from '../../src/adapters/vault/sql-key-vault.ts';
import { BackupFolder } from '../../src/backup/backup-folder.ts';
import { BackupDamaged, BackupRefused } from '../../src/backup/errors.ts';
import { beginNewLog, restoreLog } from '../../src/backup/restore-log.ts';
import { SqlSource } from '../../src/backup/sql-source.ts';
import { writeBackup } from '../../src/backup/write-backup.ts';
import { isComplete } from '../../src/domain/backup/manifest.ts';
import type { EventLog, RecordedEvent } from '../../src/ports/event-log.ts';
import type { KeyVault } from '../../src/ports/key-vault.ts';
import type { CopySource } from '../../src/ports/log-copy.ts';
import type { Sql } from '../../src/ports/sql.ts';
import { systemCommandContext } from '../../src/roles/process.ts';
import { restoresOf } from '../../src/tlog/restores.ts';
import { LogTree } from '../../src/tlog/tree.ts';
import { freshStream, storedEvents } from '../support/log-events.ts';
import { givenSeed, randomOf } from '../support/random.ts';

const rootKey = Buffer.alloc(32, 5);
/** Small, so that a few events fill a file. */
const segmentBytes = 2_000;
const context = systemCommandContext('test');

let sql: Sql;
let log: EventLog;
let vault: KeyVault;
let source: SqlSource;
let folder: string;

beforeAll(async () => {
  sql = await openPglite();
  log = await openSqlEventLog(sql);
  vault = await openSqlKeyVault(sql, rootKey);
  const tree = await LogTree.open(sql, log);
  source = new SqlSource({ sql, log, tree, origin: 'log.example' });
  await append(20);
  for (const id of ['one', 'two']) await vault.ensure({ tenant: 'acme', id, subject: 's' });
});

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'stratalog-backup-'));
  return () => rm(folder, { recursive: true, force: true });
});

afterAll(() => sql.close());

async function append(count: number): Promise<void> {
  await log.append(freshStream(), 'noStream', storedEvents(count, { data: `{"text":"${'é'.repeat(50)}"}` }));
}

const backUp = (from: CopySource = source) => writeBackup(folder, from, { segmentBytes });

async function all<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const items: T[] = [];
  for await (const page of pages) items.push(...page);
  return items;
}

const eventsOf = (from: CopySource, upTo: number): Promise<RecordedEvent[]> => all(from.events(0, upTo));

/** A source that fails behind so many events, given out one by one. */
function failingAfter(count: number): CopySource {
  return {
    end: () => source.end(),
    rootAt: (size) => source.rootAt(size),
    positionAt: (time) => source.positionAt(time),
    control: () => source.control(),
    async *events(after, upTo) {
      for await (const page of source.events(after, upTo))
        for (const event of page) {
          if (event.position > count) throw new Error('the process was killed');
          yield [event];
        }
    },
  };
}

const filesIn = async (): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));

describe('a backup', () => {
  it('[F8] has the events as they were recorded, and every key and tombstone', async () => {
    await backUp();
    const backup = await BackupFolder.open(folder);
    const { position } = await source.end();
    expect(await eventsOf(backup, position)).toEqual(await eventsOf(source, position));
    expect(await backup.positionAt(new Date())).toBe(position);
    expect(await backup.positionAt(new Date(0))).toBe(0);
    const kinds = (await all(backup.control())).map(({ kind }) => kind);
    expect(kinds).toEqual(['vault', 'subject-key', 'data-key', 'data-key']);
  });

  it('[F8] grows with its log, file by file, and loses the keys that were destroyed', async () => {
    await backUp();
    const keys = async () => all((await BackupFolder.open(folder)).control());
    const wrapped = async () => (await keys()).filter((key) => key.kind === 'data-key' && key.wrapped).length;
    const before = await wrapped();
    await append(9);
    await vault.destroy('acme', 'two');
    const { events } = await backUp(failingAfter(Infinity));
    expect(events).toBe(9);
    expect(await wrapped()).toBe(before - 1);
    const { manifest } = await BackupFolder.open(folder);
    expect(manifest.segments.length).toBeGreaterThan(1);
    expect(manifest.segments.reduce((sum, segment) => sum + segment.events, 0)).toBe(manifest.size);
    // The manifest, the control file and the files of events: nothing else was left.
    expect(await filesIn()).toHaveLength(manifest.segments.length + 2);
  });

  it('[F8] that was interrupted says so, and is continued', async () => {
    await expect(backUp(failingAfter(15))).rejects.toThrow('the process was killed');
    const partial = await BackupFolder.open(folder);
    expect(isComplete(partial.manifest)).toBe(false);
    const done = partial.manifest.size;
    expect(done).toBeGreaterThan(0);
    const { events, size } = await backUp();
    expect(events).toBe(size - done);
    const backup = await BackupFolder.open(folder);
    expect(isComplete(backup.manifest)).toBe(true);
    expect(await eventsOf(backup, size)).toEqual(await eventsOf(source, size));
    expect((await filesIn()).filter((file) => file.endsWith('part'))).toEqual([]);
  });

  it('[F8] is refused where the log does not continue it', async () => {
    await backUp();
    const other = { end: source.end.bind(source), rootAt: () => Promise.resolve(Buffer.alloc(32)) };
    const changed = Object.assign(Object.create(source) as SqlSource, other);
    await expect(backUp(changed)).rejects.toThrow(/are not those in/);
    const end = await source.end();
    const shorter = { ...end, size: 3, position: 3 };
    await expect(backUp({ ...failingAfter(0), end: () => Promise.resolve(shorter) })).rejects.toThrow(
      /the end of the log was lost/,
    );
    const strange = { ...end, logId: 'another' };
    await expect(backUp({ ...failingAfter(0), end: () => Promise.resolve(strange) })).rejects.toThrow(
      /another log/,
    );
    await rm(path.join(folder, 'backup.json'));
    await writeFile(path.join(folder, 'letter.txt'), 'not a backup');
    await expect(backUp()).rejects.toThrow(BackupRefused);
  });

  it('[F8] with a changed byte is not read', async () => {
    await backUp();
    const seed = givenSeed() ?? Date.now();
    const random = randomOf(seed);
    const read = async () => {
      const backup = await BackupFolder.open(folder);
      await all(backup.control());
      await eventsOf(backup, (await backup.end()).position);
    };
    for (const file of await filesIn()) {
      const bytes = await readFile(file);
      for (let round = 0; round < 15; round++) {
        const changed = Buffer.from(bytes);
        const at = random.int(0, bytes.length - 1);
        changed[at] = bytes[at]! ^ (1 << random.int(0, 7));
        await writeFile(file, changed);
        await expect(read(), `seed ${seed}: byte ${at} of ${file}`).rejects.toThrow(BackupDamaged);
        await writeFile(file, bytes.subarray(0, at));
        await expect(read(), `seed ${seed}: first ${at} bytes of ${file}`).rejects.toThrow(BackupDamaged);
      }
      await writeFile(file, bytes);
    }
    await read();
  });
});

describe('a restored log', () => {
  it('[F8] [F7] has the events up to the position and one about the restore, under another id', async () => {
    await backUp();
    const backup = await BackupFolder.open(folder);
    const end = await backup.end();
    const target = await openPglite();
    try {
      const { logId, size } = await restoreLog(target, backup, {
        name: 'it',
        end,
        upTo: 12,
        isVerified: true,
        context,
      });
      const restored = await openSqlEventLog(target);
      expect([restored.logId, size, await restored.head()]).toEqual([logId, 12, 13]);
      expect(logId).not.toBe(log.logId);
      const { events } = await restored.readAll({ limit: 100 });
      expect(events.slice(0, 12)).toEqual(await eventsOf(source, 12));
      expect(JSON.parse(events[12]!.data)).toMatchObject({
        routing: { logId, from: { origin: 'log.example', size: 12 }, available: end.position },
      });
      const keys = await (await openSqlKeyVault(target, rootKey)).open('acme', ['one', 'two']);
      expect(keys.get('one')).toEqual((await vault.open('acme', ['one'])).get('one'));
      expect(keys.get('two')).toBe('destroyed');
      await expect(restoreLog(target, backup, { name: 'it', end, upTo: 12, context })).rejects.toThrow(
        /has a log of 13 events/,
      );
    } finally {
      await target.close();
    }
  });

  it('[F8] cannot be opened before it is complete, and can be restored again', async () => {
    const target = await openPglite();
    try {
      const end = await source.end();
      const options = { name: 'it', end, upTo: end.position, context };
      await expect(restoreLog(target, failingAfter(15), options)).rejects.toThrow('killed');
      await expect(openSqlEventLog(target)).rejects.toThrow(LogIncomplete);
      await restoreLog(target, source, options);
      expect(await (await openSqlEventLog(target)).head()).toBe(end.position + 1);
    } finally {
      await target.close();
    }
  });

  it('[F8] [F7] goes on under a new id in place, also if it is empty', async () => {
    const target = await openPglite();
    try {
      const before = await openSqlEventLog(target);
      const tree = await LogTree.open(target, before);
      const end = await new SqlSource({ sql: target, log: before, tree, origin: 'log.example' }).end();
      const { logId } = await beginNewLog(target, end, context);
      const after = await openSqlEventLog(target);
      expect([after.logId, await after.head()]).toEqual([logId, 1]);
      expect(await restoresOf(after)).toMatchObject([{ logId, from: { logId: before.logId, size: 0 } }]);
    } finally {
      await target.close();
    }
  });
});
