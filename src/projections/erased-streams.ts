import type { EventLog, StreamName } from '../ports/event-log.ts';

/** The streams of memories that were erased since a place of the log. */
export class ErasedStreams {
  readonly #log: EventLog;
  readonly #streams = new Set<StreamName>();
  #from = Infinity;
  #scannedTo = 0;

  constructor(log: EventLog) {
    this.#log = log;
  }

  /**
   * Of the events after `position`, all that are in the log by now, or fewer where `signal` aborts; those after an earlier
   * `position` that was asked for may be among them.
   */
  async since(position: number, signal: AbortSignal): Promise<ReadonlySet<StreamName>> {
    if (position < this.#from) {
      this.#from = this.#scannedTo = position;
      this.#streams.clear();
    }
    const head = await this.#log.head();
    if (this.#scannedTo >= head) return this.#streams;
    const done = new AbortController();
    // The log's server looks through it for a subscription; pages of a filter might be looked through here.
    const pages = this.#log.subscribe({
      after: this.#scannedTo,
      filter: { types: ['MemoryErased'] },
      signal: AbortSignal.any([signal, done.signal]),
    });
    for await (const { events, scannedTo } of pages) {
      for (const { stream } of events) this.#streams.add(stream);
      this.#scannedTo = scannedTo;
      if (scannedTo >= head) break;
    }
    done.abort();
    return this.#streams;
  }
}
