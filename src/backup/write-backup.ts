import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { lockDirectory } from '../adapters/pglite/lock.ts';
import { makeFolder } from '../adapters/make-folder.ts';
import { eventLine } from '../domain/backup/lines.ts';
import { backupFormat, formatManifest, type Manifest, type Segment } from '../domain/backup/manifest.ts';
import { Frontier } from '../domain/tlog/frontier.ts';
import { leafOf } from '../domain/tlog/leaf.ts';
import { leafHash } from '../domain/tlog/merkle.ts';
import type { RecordedEvent } from '../ports/event-log.ts';
import type { CopySource, LogEnd } from '../ports/log-copy.ts';
import { manifestName, readManifest } from './backup-folder.ts';
import { BackupRefused } from './errors.ts';
import { checkedChunks, NewFile } from './files.ts';

export interface BackupOptions {
  /** Called with the number of events that the backup has, and that it is to have. */
  readonly onProgress?: (done: number, total: number) => void;
  /** A file of events is closed at this size. An interrupted backup loses one file at most. */
  readonly segmentBytes?: number;
}

export interface BackupReport {
  readonly origin: string;
  readonly size: number;
  readonly position: number;
  readonly root: string;
  /** Events and bytes that this run has written. */
  readonly events: number;
  readonly bytes: number;
  /** Bytes of the whole backup. */
  readonly totalBytes: number;
}

const defaultSegmentBytes = 32_000_000;
const ownEntries = [manifestName, `${manifestName}.part`, 'log', 'control', 'lock'];

/**
 * Writes the log of `source` and what belongs to it into a folder. A folder that has a backup of the same log gets the new events, and
 * the vault anew: so it no longer has the keys that were destroyed since. One that was interrupted is continued. At each moment the
 * manifest names only files that are complete and synced.
 */
export async function writeBackup(
  folder: string,
  source: CopySource,
  options: BackupOptions = {},
): Promise<BackupReport> {
  await makeFolder(path.resolve(folder));
  const before = await readManifest(folder);
  if (!before) await assertNothingElse(folder);
  const lock = await lockDirectory(folder);
  const writer = new BackupWriter(folder, source, options);
  try {
    return await writer.run(before);
  } finally {
    await writer.abandon();
    await lock.release();
  }
}

async function assertNothingElse(folder: string): Promise<void> {
  const strange = (await readdir(folder)).find((name) => !ownEntries.includes(name));
  if (strange !== undefined)
    throw new BackupRefused(`${folder} has no backup, but other files (${strange}): choose an empty folder`);
}

/** The part of the log that a backup has. */
interface Copied {
  readonly frontier: Frontier;
  position: number;
  readonly segments: Segment[];
}

class BackupWriter {
  readonly #folder: string;
  readonly #source: CopySource;
  readonly #onProgress: (done: number, total: number) => void;
  readonly #segmentBytes: number;
  #open: NewFile | undefined;

  constructor(
    folder: string,
    source: CopySource,
    { onProgress = () => undefined, segmentBytes = defaultSegmentBytes }: BackupOptions,
  ) {
    this.#folder = folder;
    this.#source = source;
    this.#onProgress = onProgress;
    this.#segmentBytes = segmentBytes;
  }

  async run(before: Manifest | undefined): Promise<BackupReport> {
    const at = new Date().toISOString();
    // The vault is read after the end of the log is known, so it has the keys of all events up to there.
    const end = await this.#source.end();
    if (before) await assertContinues(this.#folder, before, end, this.#source);
    const copied = copiedBy(before);
    const begun = copied.frontier.size;
    for (const name of ['log', 'control']) await makeFolder(path.resolve(this.#folder, name));
    const control = await this.#writeControl(end);
    const commit = (): Promise<void> => this.#commit(copied, end, control, at);
    this.#onProgress(begun, end.size);
    let bytes = control.bytes;
    for (;;) {
      await commit();
      if (copied.frontier.size === end.size) break;
      bytes += await this.#writeSegment(copied, end);
    }
    const kept = [control.file, ...copied.segments.map(({ file }) => file)];
    await this.#removeOthers(new Set(kept));
    return {
      origin: end.origin,
      size: end.size,
      position: end.position,
      root: end.root.toString('base64'),
      events: end.size - begun,
      bytes,
      totalBytes: copied.segments.reduce((sum, { bytes }) => sum + bytes, control.bytes),
    };
  }

  /** Closes the file that was not finished. */
  async abandon(): Promise<void> {
    await this.#open?.abandon();
  }

  async #writeControl({ position }: LogEnd): Promise<Manifest['control']> {
    const file = await this.#create('control');
    for await (const records of this.#source.control())
      await file.write(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    const name = `control/${position}-${Date.now().toString(36)}.ndjson`;
    return { file: name, ...(await this.#finish(file, name)) };
  }

  /** Writes the next file of events, and returns how many bytes. A small last file is written again, with what follows it. */
  async #writeSegment(copied: Copied, end: LogEnd): Promise<number> {
    const file = await this.#create('log');
    const last = copied.segments.at(-1);
    const continued = last && last.bytes < this.#segmentBytes ? copied.segments.pop()! : undefined;
    if (continued) {
      const { bytes, sha256 } = continued;
      const old = checkedChunks(path.join(this.#folder, continued.file), { bytes, sha256 });
      for await (const chunk of old) await file.write(chunk);
    }
    const begun = copied.frontier.size;
    let first: RecordedEvent | undefined;
    let latest: RecordedEvent | undefined;
    for await (const events of this.#source.events(copied.position, end.position)) {
      for (const event of events) copied.frontier.add(leafHash(leafOf(event)));
      await file.write(events.map((event) => `${eventLine(event)}\n`).join(''));
      first ??= events[0];
      latest = events.at(-1)!;
      copied.position = latest.position;
      this.#onProgress(copied.frontier.size, end.size);
      if (file.bytes >= this.#segmentBytes) break;
    }
    if (!first || !latest) throw new BackupRefused(disagreeing);
    assertAgrees(copied, end);
    const events = (continued?.events ?? 0) + copied.frontier.size - begun;
    const range = {
      first: continued?.first ?? first.position,
      last: latest.position,
      from: continued?.from ?? first.time.toISOString(),
      to: latest.time.toISOString(),
    };
    const name = `log/${padded(range.first)}-${padded(range.last)}.ndjson`;
    const written = await this.#finish(file, name);
    copied.segments.push({ file: name, ...written, events, ...range });
    return written.bytes - (continued?.bytes ?? 0);
  }

  async #commit(
    { frontier, position, segments }: Copied,
    end: LogEnd,
    control: Manifest['control'],
    at: string,
  ): Promise<void> {
    const manifest: Manifest = {
      format: backupFormat,
      log: { id: end.logId, origin: end.origin },
      size: frontier.size,
      position,
      root: frontier.root().toString('base64'),
      subtrees: frontier.roots().map((root) => root.toString('base64')),
      wanted: { size: end.size, position: end.position, root: end.root.toString('base64') },
      at,
      segments,
      control,
    };
    const file = await NewFile.create(path.join(this.#folder, `${manifestName}.part`));
    this.#open = file;
    await file.write(formatManifest(manifest));
    await this.#finish(file, manifestName);
  }

  async #create(kind: 'log' | 'control'): Promise<NewFile> {
    this.#open = await NewFile.create(path.join(this.#folder, kind, 'part'));
    return this.#open;
  }

  async #finish(file: NewFile, name: string): ReturnType<NewFile['finish']> {
    const written = await file.finish(path.join(this.#folder, name));
    this.#open = undefined;
    return written;
  }

  /** Removes what the manifest no longer names: files that were written again, and those of an interrupted backup. */
  async #removeOthers(kept: ReadonlySet<string>): Promise<void> {
    for (const kind of ['log', 'control'])
      for (const name of await readdir(path.join(this.#folder, kind)))
        if (!kept.has(`${kind}/${name}`)) await rm(path.join(this.#folder, kind, name));
  }
}

const disagreeing =
  'the events of the log are not those that its tree was built from: `stratalog audit verify` names the first place. The backup has what agreed before';

/** At the end, the events that were read must be those of the tree. */
function assertAgrees({ frontier, position }: Copied, end: LogEnd): void {
  if (position < end.position) return;
  if (frontier.size !== end.size || !frontier.root().equals(end.root)) throw new BackupRefused(disagreeing);
}

function copiedBy(before: Manifest | undefined): Copied {
  if (!before) return { frontier: new Frontier(), position: 0, segments: [] };
  const subtrees = before.subtrees.map((root) => Buffer.from(root, 'base64'));
  return {
    frontier: Frontier.of(before.size, subtrees),
    position: before.position,
    segments: [...before.segments],
  };
}

/** The log must have grown from the one in the backup. */
async function assertContinues(
  folder: string,
  before: Manifest,
  end: LogEnd,
  source: CopySource,
): Promise<void> {
  if (before.log.id !== end.logId)
    throw new BackupRefused(
      `${folder} has a backup of another log (${before.log.origin}), and this one is ${end.origin}: choose another folder. A restored log is another log`,
    );
  if (before.size > end.size)
    throw new BackupRefused(
      `the log has ${end.size} events, and the backup in ${folder} has ${before.size}: the end of the log was lost. Restore the backup, or choose another folder`,
    );
  if (!(await source.rootAt(before.size)).equals(Buffer.from(before.root, 'base64')))
    throw new BackupRefused(
      `the first ${before.size} events of the log are not those in ${folder}: the log was changed, or an older copy of it was used. \`stratalog audit verify\` says more; keep this backup and choose another folder`,
    );
}

function padded(position: number): string {
  return String(position).padStart(12, '0');
}
