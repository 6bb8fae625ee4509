import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { mayHaveType, parseEventLine } from '../domain/backup/lines.ts';
import { MalformedManifest, parseManifest, type Manifest, type Segment } from '../domain/backup/manifest.ts';
import { Frontier } from '../domain/tlog/frontier.ts';
import { leafOf } from '../domain/tlog/leaf.ts';
import { leafHash } from '../domain/tlog/merkle.ts';
import type { RecordedEvent } from '../ports/event-log.ts';
import type { ControlRecord, CopySource, LogEnd } from '../ports/log-copy.ts';
import { BackupDamaged, BackupRefused } from './errors.ts';
import { checkedLines } from './files.ts';

export const manifestName = 'backup.json';

/** The manifest of a backup; undefined if the folder has none. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const file = path.join(folder, manifestName);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
  });
  if (text === undefined) return undefined;
  try {
    return parseManifest(text);
  } catch (error) {
    if (error instanceof MalformedManifest) throw new BackupDamaged(`${file}: ${error.message}`);
    throw error;
  }
}

/** A backup that is read. Every file is compared with its hash in the manifest while it is read. */
export class BackupFolder implements CopySource {
  readonly manifest: Manifest;
  readonly #folder: string;

  private constructor(folder: string, manifest: Manifest) {
    this.#folder = folder;
    this.manifest = manifest;
  }

  static async open(folder: string): Promise<BackupFolder> {
    const manifest = await readManifest(folder);
    if (!manifest) throw new BackupRefused(`${folder} is not a backup: it has no ${manifestName}`);
    return new BackupFolder(folder, manifest);
  }

  end(): Promise<LogEnd> {
    const { log, size, position, root } = this.manifest;
    return Promise.resolve({
      logId: log.id,
      origin: log.origin,
      size,
      position,
      root: Buffer.from(root, 'base64'),
    });
  }

  async rootAt(size: number): Promise<Buffer> {
    const frontier = new Frontier();
    for await (const events of this.events(0, this.manifest.position))
      for (const event of events) if (frontier.size < size) frontier.add(leafHash(leafOf(event)));
    return frontier.root();
  }

  async positionAt(time: Date): Promise<number> {
    const before = this.manifest.segments.filter(({ from }) => new Date(from) <= time);
    const last = before.at(-1);
    if (!last) return 0;
    let position = last.first - 1;
    for await (const events of this.#read(last))
      for (const event of events) if (event.time <= time) position = event.position;
    return position;
  }

  async *events(
    after: number,
    upTo: number,
    types?: readonly string[],
  ): AsyncGenerator<readonly RecordedEvent[]> {
    for (const segment of this.manifest.segments) {
      if (segment.last <= after || segment.first > upTo) continue;
      for await (const events of this.#read(segment, types)) {
        const wanted = events.filter(({ position }) => position > after && position <= upTo);
        if (wanted.length > 0) yield wanted;
      }
    }
  }

  async *control(): AsyncGenerator<readonly ControlRecord[]> {
    const { file, ...written } = this.manifest.control;
    for await (const lines of checkedLines(path.join(this.#folder, file), written))
      yield lines.map((line) => this.#parsed(file, () => JSON.parse(line) as ControlRecord));
  }

  /** All events of a segment, also if fewer are wanted: its hash covers all of it. */
  async *#read({ file, bytes, sha256 }: Segment, types?: readonly string[]) {
    for await (const lines of checkedLines(path.join(this.#folder, file), { bytes, sha256 })) {
      const wanted = types ? lines.filter((line) => mayHaveType(line, types)) : lines;
      yield wanted.map((line) => this.#parsed(file, () => parseEventLine(line) as RecordedEvent));
    }
  }

  #parsed<T>(file: string, parse: () => T): T {
    try {
      return parse();
    } catch {
      throw new BackupDamaged(`${path.join(this.#folder, file)} is damaged: a line is not as it was written`);
    }
  }
}
