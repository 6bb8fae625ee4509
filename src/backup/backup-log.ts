import type { EventLog, LogPage, ReadAllOptions, RecordedEvent } from '../ports/event-log.ts';
import type { BackupFolder } from './backup-folder.ts';

/** Reads the log in a backup in the way in which `verifyLog` does: from the beginning, page by page, up to a position. */
export class BackupLog implements Pick<EventLog, 'readAll'> {
  readonly #backup: BackupFolder;
  readonly #upTo: number;
  #read: { readonly pages: AsyncGenerator<readonly RecordedEvent[]>; position: number } | undefined;

  constructor(backup: BackupFolder, upTo: number) {
    this.#backup = backup;
    this.#upTo = upTo;
  }

  async readAll({ after = 0, filter }: ReadAllOptions): Promise<LogPage> {
    if (after === 0 || this.#read?.position !== after)
      this.#read = { pages: this.#backup.events(after, this.#upTo, filter?.types), position: after };
    const read = this.#read;
    for (;;) {
      const { value, done } = await read.pages.next();
      const events = (done ? [] : value).filter(({ type }) => !filter?.types || filter.types.includes(type));
      read.position = done ? Math.max(this.#upTo, after) : value.at(-1)!.position;
      if (done || events.length > 0) return { events: [...events], scannedTo: read.position };
    }
  }
}
