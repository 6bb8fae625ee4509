import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { BackupDamaged } from './errors.ts';

const newline = 0x0a;

export interface WrittenFile {
  readonly bytes: number;
  readonly sha256: string;
}

/** A file that only its owner reads. It has its name when it is complete and synced, not before. */
export class NewFile {
  bytes = 0;
  readonly #handle: FileHandle;
  readonly #part: string;
  readonly #hash = createHash('sha256');

  private constructor(handle: FileHandle, part: string) {
    this.#handle = handle;
    this.#part = part;
  }

  /** Replaces what an interrupted backup left under the name. */
  static async create(part: string): Promise<NewFile> {
    return new NewFile(await open(part, 'w', 0o600), part);
  }

  async write(text: string | Uint8Array): Promise<void> {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    this.#hash.update(bytes);
    await this.#handle.writeFile(bytes);
    this.bytes += bytes.length;
  }

  async finish(file: string): Promise<WrittenFile> {
    await this.#handle.sync();
    await this.#handle.close();
    await rename(this.#part, file);
    await syncFolder(path.dirname(file));
    return { bytes: this.bytes, sha256: this.#hash.digest('hex') };
  }

  /** Closes a file that will not be finished. */
  async abandon(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
  }
}

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The chunks of a file. Rejects with `BackupDamaged` in the end if it is not the file that was written. */
export async function* checkedChunks(file: string, written: WrittenFile): AsyncGenerator<Buffer> {
  const sum = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
      sum.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new BackupDamaged(`${file} is missing`);
    throw error;
  }
  if (bytes !== written.bytes)
    throw new BackupDamaged(`${file} is damaged: it has ${bytes} bytes, and ${written.bytes} were written`);
  if (sum.digest('hex') !== written.sha256)
    throw new BackupDamaged(`${file} is damaged: its bytes are not those that were written`);
}

/**
 * The lines of a file in groups, without line breaks. The file is checked at its end, so what comes of the lines is only to be kept if this
 * ends without an error.
 */
export async function* checkedLines(file: string, written: WrittenFile): AsyncGenerator<readonly string[]> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of checkedChunks(file, written)) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(newline);
    rest = bytes.subarray(end + 1);
    if (end >= 0) yield bytes.subarray(0, end).toString('utf8').split('\n');
  }
  if (rest.length > 0) throw new BackupDamaged(`${file} is damaged: it ends in the middle of a line`);
}
