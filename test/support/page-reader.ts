import type { EventLog, RecordedEvent, SubscribeOptions } from '../../src/ports/event-log.ts';

/** Reads a subscription in the background. */
export class PageReader {
  readonly events: RecordedEvent[] = [];
  scannedTo: number;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;

  constructor(log: EventLog, options: Omit<SubscribeOptions, 'signal'>) {
    this.scannedTo = options.after;
    this.#done = this.#read(log, options);
  }

  /** Stops reading. Rejects with the error if the subscription has failed. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #read(log: EventLog, options: Omit<SubscribeOptions, 'signal'>): Promise<void> {
    for await (const page of log.subscribe({ ...options, signal: this.#stop.signal })) {
      this.events.push(...page.events);
      this.scannedTo = page.scannedTo;
    }
  }
}
