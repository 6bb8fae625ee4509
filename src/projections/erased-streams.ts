import type { EventLog, StreamName } from '../ports/event-log.ts';

const pageSize = 500;

/** The streams of memories that were erased since a place of the log. */
export class ErasedStreams {
  readonly #log: EventLog;
  readonly #streams = new Set<StreamName>();
  #from = Infinity;
  #scannedTo = 0;

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** Of the events after `position`, all that are there by now; those of an earlier `position` before may be among them. */
  async since(position: number): Promise<ReadonlySet<StreamName>> {
    if (position < this.#from) {
      this.#from = this.#scannedTo = position;
      this.#streams.clear();
    }
    for (;;) {
      const filter = { types: ['MemoryErased'] };
      const page = await this.#log.readAll({ after: this.#scannedTo, limit: pageSize, filter });
      for (const { stream } of page.events) this.#streams.add(stream);
      if (page.scannedTo <= this.#scannedTo) return this.#streams;
      this.#scannedTo = page.scannedTo;
    }
  }
}
