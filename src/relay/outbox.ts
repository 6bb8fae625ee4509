import { recordBytes, type OutgoingRecord, type Transport } from '../ports/transport.ts';
import { WakeUp } from '../support/wake-up.ts';

/** Maximum number of bytes in flight, unless a single batch is larger: the log is read on while the brokers write. */
const maxBytes = 8 * 1024 * 1024;
const pollMs = 1_000;

/**
 * Publishes batch after batch without waiting for each. After a batch has failed it publishes nothing more: a later event in a
 * partition before an earlier one would be a gap to consumers that follow by position.
 */
export class Outbox {
  readonly #transport: Transport;
  readonly #failed = new AbortController();
  readonly #moved = new WakeUp();
  #last: Promise<unknown> = Promise.resolve();
  #inFlight = 0;
  #bytes = 0;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Aborts with the reason when a batch could not be published. */
  get failed(): AbortSignal {
    return this.#failed.signal;
  }

  /** Resolves once there is room for another batch, or `signal` aborts. */
  async room(signal: AbortSignal): Promise<void> {
    while (this.#bytes >= maxBytes && !signal.aborted)
      await this.#moved.after(this.#moved.count, pollMs, signal);
  }

  /** Publishes the records. `onWritten` is called when they and all records before them are written. */
  put(records: readonly OutgoingRecord[], onWritten: () => void = () => {}): void {
    // Nothing else runs between this check and the queue of the transport, so no batch can follow a failed one.
    if (this.#failed.signal.aborted) return;
    const bytes = records.reduce((sum, record) => sum + recordBytes(record), 0);
    this.#inFlight++;
    this.#bytes += bytes;
    this.#last = Promise.all([this.#transport.publish(records), this.#last])
      .then(
        () => this.#failed.signal.aborted || onWritten(),
        (error: unknown) => this.#failed.abort(error),
      )
      .finally(() => {
        this.#inFlight--;
        this.#bytes -= bytes;
        this.#moved.wake();
      });
  }

  /** Resolves when nothing is in flight, after `ms` at the latest. */
  async settled(ms: number): Promise<void> {
    const signal = AbortSignal.timeout(ms);
    while (this.#inFlight > 0 && !signal.aborted) await this.#moved.after(this.#moved.count, ms, signal);
  }
}
