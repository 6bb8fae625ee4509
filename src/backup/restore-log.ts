import { randomUUID } from 'node:crypto';
import { encode } from '../adapters/eventstore/codec.ts';
import { newId } from '../adapters/random.ts';
import { writeLeases } from '../adapters/sql/leases.ts';
import {
  continueUnderNewId,
  eventsIn,
  RestoredLog,
  type FollowingEvent,
} from '../adapters/sqllog/restored-log.ts';
import { emptyVault, isVaultEmpty, writeVault } from '../adapters/vault/copy.ts';
import { eventContext, type CommandContext } from '../commands/context.ts';
import { restoreStream } from '../domain/streams.ts';
import { LogRestored, type Restore } from '../domain/tlog/events.ts';
import { Frontier } from '../domain/tlog/frontier.ts';
import { leafOf } from '../domain/tlog/leaf.ts';
import { leafHash } from '../domain/tlog/merkle.ts';
import type { CopySource, LogEnd } from '../ports/log-copy.ts';
import type { Sql } from '../ports/sql.ts';
import { BackupDamaged, BackupRefused } from './errors.ts';

export interface RestoreOptions {
  /** What the target is called in messages. */
  readonly name: string;
  /** The end of the log that is there to restore. */
  readonly end: LogEnd;
  /** The position at which the restored log is to stand. */
  readonly upTo: number;
  /** The events were compared with signed heads before. */
  readonly isVerified?: boolean;
  readonly context: CommandContext;
  /** Called with the positions that were restored, and that are to be. */
  readonly onProgress?: (done: number, total: number) => void;
}

export interface RestoredEnd {
  readonly logId: string;
  /** Of the events that were restored; one event about that follows them. */
  readonly size: number;
  readonly root: string;
}

/** Throws `BackupRefused` if the database has a log. One in which a restore was interrupted counts as empty. */
async function assertEmpty(sql: Sql, name: string): Promise<void> {
  const events = await eventsIn(sql);
  const hasKeys = !(await isVaultEmpty(sql));
  if (events !== 'unfinished' && (events > 0 || hasKeys))
    throw new BackupRefused(
      `${name} has a log of ${events} events already: restore into a new folder or an empty database. Nothing was changed`,
    );
}

/**
 * Copies a log up to a position into an empty database, with all keys and tombstones: what was erased later stays erased. The log that
 * results is another one, with an id of its own; its next event says what it begins with. Until the last step nobody can open it.
 */
export async function restoreLog(
  sql: Sql,
  source: CopySource,
  { name, end, upTo, isVerified = false, context, onProgress = () => undefined }: RestoreOptions,
): Promise<RestoredEnd> {
  await assertEmpty(sql, name);
  const target = await RestoredLog.begin(sql);
  await emptyVault(sql);
  for await (const records of source.control()) {
    await sql.transaction(
      (tx) =>
        writeVault(
          tx,
          records.flatMap((record) => (record.kind === 'lease' ? [] : record)),
        ),
      { durable: false },
    );
    await writeLeases(
      sql,
      records.flatMap((record) => (record.kind === 'lease' ? record : [])),
    );
  }
  const frontier = new Frontier();
  onProgress(0, upTo);
  for await (const events of source.events(0, upTo)) {
    for (const event of events) frontier.add(leafHash(leafOf(event)));
    await target.add(events);
    onProgress(events.at(-1)!.position, upTo);
  }
  const root = frontier.root();
  const expected = upTo === end.position ? end.root : isVerified ? root : await source.rootAt(frontier.size);
  if (!root.equals(expected))
    throw new BackupDamaged(
      `the first ${frontier.size} events are not those that the log's tree was built from. The target was not opened`,
    );
  const logId = randomUUID();
  const { origin, logId: from, position: available } = end;
  const head = { origin, logId: from, size: frontier.size, position: upTo, root: root.toString('base64') };
  await target.finish(logId, restoredEvent({ logId, from: head, available }, context));
  // The read models are built from these tables next, by plans that depend on their sizes.
  await sql.execute('analyze log.events; analyze control.data_keys; analyze control.subject_keys');
  return { logId, size: frontier.size, root: head.root };
}

/**
 * Lets a database that was restored in another way, such as a copied folder, go on as a log of its own. Its next event says what it begins
 * with.
 */
export async function beginNewLog(sql: Sql, end: LogEnd, context: CommandContext): Promise<RestoredEnd> {
  const logId = randomUUID();
  const { origin, logId: from, size, position } = end;
  const head = { origin, logId: from, size, position, root: end.root.toString('base64') };
  await continueUnderNewId(sql, logId, restoredEvent({ logId, from: head, available: position }, context));
  return { logId, size, root: head.root };
}

function restoredEvent(data: Restore, context: CommandContext): FollowingEvent {
  const event = { type: LogRestored.type, data };
  return {
    ...encode(newId(), restoreStream, event, eventContext(context), {}),
    stream: restoreStream,
  };
}
