import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPglite } from '../../src/adapters/pglite/open.ts';
import { openSqlEventLog } from '../../src/adapters/sqllog/sql-event-log.ts';
import { SealedEventStore } from '../../src/adapters/eventstore/sealed-event-store.ts';
import { openSqlKeyVault } from '../../src/adapters/vault/sql-key-vault.ts';
import { parseCheckpoint } from '../../src/domain/tlog/checkpoint.ts';
import { signerOf, type Signer } from '../../src/domain/tlog/note.ts';
import type { EventLog } from '../../src/ports/event-log.ts';
import type { Sql } from '../../src/ports/sql.ts';
import { CheckpointSigner } from '../../src/tlog/checkpoint-signer.ts';
import { overdueMs, signedHeads } from '../../src/tlog/heads.ts';
import { LogTree } from '../../src/tlog/tree.ts';
import { verifyLog, type LogReport } from '../../src/tlog/verify-log.ts';
import { systemCommandContext } from '../../src/roles/process.ts';
import { freshStream, storedEvents } from '../support/log-events.ts';
import { givenSeed, randomOf, type Random } from '../support/random.ts';

const columns = [
  'stream',
  'revision',
  'id',
  'category',
  'type',
  'schema_version',
  'time',
  'data',
  'metadata',
] as const;
const mutations = Number(process.env['STRATALOG_LOG_MUTATIONS'] ?? 40);

let sql: Sql;
let log: EventLog;
let tree: LogTree;
let store: SealedEventStore;
const signal = new AbortController().signal;
const signers = [signerOf('log.example', Buffer.alloc(32, 1))];
/** Events before the last head. */
let signed = 0;

function signerWith(given: readonly Signer[] = signers): CheckpointSigner {
  const context = systemCommandContext('test');
  return new CheckpointSigner({
    tree,
    store,
    origin: 'log.example',
    signers: given,
    context,
    intervalMs: 1_000,
  });
}

/** Runs a signer until it has signed for the first time. */
async function signedAtStart(given: readonly Signer[]): Promise<void> {
  const ended = new AbortController();
  await new Promise<unknown>((resolve, reject) => {
    const term = {
      epoch: 1,
      signal: ended.signal,
      isHeld: true,
      began: () => undefined,
      reached: resolve,
      report: reject,
      fail: reject,
    };
    signerWith(given).run(term).catch(reject);
  }).finally(() => ended.abort());
}

beforeAll(async () => {
  sql = await openPglite();
  log = await openSqlEventLog(sql);
  const vault = await openSqlKeyVault(sql, new Uint8Array(32));
  store = new SealedEventStore(log, vault);
  tree = await LogTree.open(sql, log);
  for (let head = 0; head < 3; head++) {
    // More than a tile, so that there are two levels.
    for (let n = 0; n < 10; n++) await log.append(freshStream(), 'any', storedEvents(12));
    signed = (await signerWith().sign(signal)).position - 1;
  }
  await log.append(freshStream(), 'any', storedEvents(3));
});

afterAll(async () => {
  await log.close();
  await sql.close();
});

it('[J6] says by how long the next head is overdue: of new events, or in a silence', async () => {
  const [event] = (await log.readAll({ after: signed + 1, limit: 1 })).events;
  const after = (ms: number) => new Date(event!.time.getTime() + ms);
  expect(await overdueMs(store, 60_000, after(59_000))).toBe(0);
  expect(await overdueMs(store, 60_000, after(61_000))).toBe(1_000);
});

const verify = (withTree = true): Promise<LogReport> =>
  verifyLog({ log, verifiers: signers, ...(withTree && { tree }) });

/** Changes the log by these statements, looks at it, and takes the change back. */
async function changed<Result>(statements: readonly string[], look: () => Promise<Result>): Promise<Result> {
  await sql.execute(
    'create table kept as select * from log.events; create table kept_tiles as select * from tlog.tiles',
  );
  try {
    for (const statement of statements) await sql.execute(statement);
    return await look();
  } finally {
    await sql.execute(`
      delete from log.events; insert into log.events select * from kept; drop table kept;
      delete from tlog.tiles; insert into tlog.tiles select * from kept_tiles; drop table kept_tiles`);
  }
}

function mutationOf(random: Random): { readonly what: string; readonly statements: string[] } {
  const at = random.int(1, signed);
  switch (random.int(0, 4)) {
    case 0:
      return { what: `event ${at} removed`, statements: [`delete from log.events where position = ${at}`] };
    case 1:
      return {
        what: `event ${at} removed, and the gap closed`,
        statements: [
          `delete from log.events where position = ${at}`,
          `update log.events set position = -position where position > ${at}`,
          'update log.events set position = -position - 1 where position < 0',
        ],
      };
    case 2: {
      const other = at === signed ? at - 1 : random.int(at + 1, signed);
      return {
        what: `events ${at} and ${other} exchanged`,
        statements: [
          `update log.events set position = -1 where position = ${at}`,
          `update log.events set position = ${at} where position = ${other}`,
          `update log.events set position = ${other} where position = -1`,
        ],
      };
    }
    default: {
      const column = random.pick(columns);
      return {
        what: `${column} of event ${at} changed`,
        statements: [`update log.events set ${column} = ${otherValue(column)} where position = ${at}`],
      };
    }
  }
}

function otherValue(column: (typeof columns)[number]): string {
  switch (column) {
    case 'revision':
    case 'schema_version':
      return `${column} + 1000`;
    case 'time':
      return "time + interval '1 microsecond'";
    case 'id':
      return 'gen_random_uuid()';
    default:
      return `overlay(${column} placing 'X' from length(${column}) / 2 + 1 for 1)`;
  }
}

describe('the verification of a log', () => {
  it('[F7] says that an unchanged log is sound, and how far it is signed', async () => {
    const report = await verify();
    expect(report).toMatchObject({ state: 'sound', heads: 3, signed: { size: signed } });
    expect(report.events).toBeGreaterThan(signed);
  });

  it(`[F7] finds each of ${mutations} changes, and nothing where there is none`, async () => {
    const random = randomOf(givenSeed() ?? Math.floor(Math.random() * 2 ** 32));
    for (let n = 0; n < mutations; n++) {
      const { what, statements } = mutationOf(random);
      const report = await changed(statements, verify);
      expect(report.state, what).toBe('unsound');
      expect(report.first!.position, what).toBeLessThanOrEqual(signed + 1);
      if (n % 10 === 0) expect((await verify()).state, `after ${what}`).toBe('sound');
    }
  }, 600_000);

  it('[F7] names the event that was changed, and without tiles the head behind it', async () => {
    const change = ["update log.events set data = data || ' ' where position = 20"];
    expect((await changed(change, verify)).first).toMatchObject({ position: 20, fault: 'changed' });
    const [head] = (await signedHeads(store, 10)).toReversed();
    const { first } = await changed(change, () => verify(false));
    expect(first).toMatchObject({ position: head!.position, fault: 'changed' });
  });

  it('[F7] finds a change whose tiles were changed with it', async () => {
    const statements = [
      "update log.events set data = data || ' ' where position = 20",
      "update tlog.tiles set hashes = decode(repeat('00', octet_length(hashes)), 'hex')",
    ];
    expect(await changed(statements, verify)).toMatchObject({ state: 'unsound' });
  });

  it('[F7] finds that the end of the log was cut off, and a head of a stranger', async () => {
    const cut = [`delete from log.events where position > ${signed - 5}`];
    expect((await changed(cut, verify)).first).toMatchObject({ fault: 'shorter' });
    const { events } = await log.readAll({ direction: 'backwards', limit: 1 });
    await signerWith([signerOf('log.example', Buffer.alloc(32, 9))]).sign(signal);
    expect((await verify()).first).toMatchObject({ fault: 'forged-head', position: events[0]!.position + 1 });
    await sql.execute(`delete from log.events where position > ${events[0]!.position}`);
    expect((await verifyLog({ log, verifiers: signers })).state).toBe('sound');
  });

  it('[F7] accepts heads of an earlier key as far as a head of the present key covers them', async () => {
    const { events } = await log.readAll({ direction: 'backwards', limit: 1 });
    const present = [signerOf('log.example', Buffer.alloc(32, 2))];
    const next = [signerOf('log.example', Buffer.alloc(32, 3))];
    const [first] = (await signedHeads(store, 10)).toReversed();
    const { first: fault } = await verifyLog({ log, verifiers: present });
    expect(fault).toMatchObject({ fault: 'forged-head', position: first!.position });
    await signedAtStart(present);
    expect(await verifyLog({ log, verifiers: present })).toMatchObject({ state: 'sound', heads: 4 });
    // The next key signs although there is nothing new.
    await signedAtStart(next);
    expect(await verifyLog({ log, verifiers: next })).toMatchObject({ state: 'sound', heads: 5 });
    const { position: behind } = await signerWith().sign(signal);
    expect((await verifyLog({ log, verifiers: next })).first).toMatchObject({
      fault: 'forged-head',
      position: behind,
    });
    await sql.execute(`delete from log.events where position > ${events[0]!.position}`);
  });

  it('[F7] proves that the log only grew since a head that was kept, and finds another history', async () => {
    const heads = await signedHeads(store, 10);
    const kept = parseCheckpoint(heads.at(-1)!.event.data.note);
    expect(await verifyLog({ log, verifiers: signers, against: [kept] })).toMatchObject({ state: 'sound' });
    const other = { ...kept, root: Buffer.alloc(32, 7) };
    expect(await verifyLog({ log, verifiers: signers, against: [other] })).toMatchObject({
      state: 'unsound',
      first: { fault: 'other-history' },
    });
  });
});
