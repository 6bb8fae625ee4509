import { open, readFile, type FileHandle } from 'node:fs/promises';
import { decodeFrame, encodeFrame, type EventRecord, type PlacedRecord } from './record.ts';

/** First bytes of the file, so no event is at position 0. */
const magic = Buffer.from('stratalog-events');

interface Waiting {
  readonly bytes: Buffer;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The append-only file of the double. Events are on the disk when `written` resolves. */
export class EventFile {
  readonly #file: FileHandle;
  #end: number;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;

  private constructor(file: FileHandle, end: number) {
    this.#file = file;
    this.#end = end;
  }

  /** Opens or creates the file and returns its events. Truncates an incomplete frame at its end. */
  static async open(path: string): Promise<{ file: EventFile; records: PlacedRecord[] }> {
    const handle = await open(path, 'a+');
    const content = await readFile(path);
    const records: PlacedRecord[] = [];
    let end = magic.length;
    if (content.length < magic.length) {
      await handle.truncate(0);
      await handle.write(magic);
    } else {
      if (!content.subarray(0, magic.length).equals(magic)) throw new Error(`${path} is no file of events`);
      for (let frame = decodeFrame(content, end); frame; frame = decodeFrame(content, end)) {
        records.push(...frame.records);
        end = frame.end;
      }
      if (end < content.length) await handle.truncate(end);
    }
    await handle.sync();
    return { file: new EventFile(handle, end), records };
  }

  /** Offset of the next frame. */
  get end(): number {
    return this.#end;
  }

  /** Places `records` at once as one frame. `written` resolves, in the order of all appends, when they are on the disk. */
  append(records: readonly EventRecord[]): { placed: PlacedRecord[]; written: Promise<void> } {
    const { bytes, placed } = encodeFrame(records, this.#end);
    this.#end += bytes.length;
    const written = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ bytes, resolve, reject });
    });
    this.#writing ??= this.#drain();
    return { placed, written };
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#file.close();
  }

  /** One sync for all frames that arrived during the previous one. */
  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      try {
        await this.#file.writev(group.map(({ bytes }) => bytes));
        await this.#file.datasync();
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#writing = undefined;
  }
}
