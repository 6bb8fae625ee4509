import { recordBytes, type OutgoingRecord, type Transport } from '../ports/transport.ts';
import { WakeUp } from '../support/wake-up.ts';

/** So much is on its way at most, or one batch: the log is read on while the brokers write. */
const mostBytes = 8 * 1024 * 1024;
const lookMs = 1_000;

/**
 * Publishes batch after batch without waiting for each, and nothing any more after one that failed: a later event in a
 * partition before an earlier one would be a gap to whoever follows by position.
 */
export class Outbox {
  readonly #transport: Transport;
  readonly #failed = new AbortController();
  readonly #moved = new WakeUp();
  #last: Promise<unknown> = Promise.resolve();
  #underWay = 0;
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
    while (this.#bytes >= mostBytes && !signal.aborted)
      await this.#moved.after(this.#moved.count, lookMs, signal);
  }

  /** Hands the records over. `onWritten` is called when they and all before them are written. */
  put(records: readonly OutgoingRecord[], onWritten: () => void = () => {}): void {
    // Between this look and the transport's queue nothing else runs: nothing slips in behind a failure.
    if (this.#failed.signal.aborted) return;
    const bytes = records.reduce((sum, record) => sum + recordBytes(record), 0);
    this.#underWay++;
    this.#bytes += bytes;
    this.#last = Promise.all([this.#transport.publish(records), this.#last])
      .then(
        () => this.#failed.signal.aborted || onWritten(),
        (error: unknown) => this.#failed.abort(error),
      )
      .finally(() => {
        this.#underWay--;
        this.#bytes -= bytes;
        this.#moved.wake();
      });
  }

  /** Resolves when nothing is under way, at most after `ms`. */
  async settled(ms: number): Promise<void> {
    const signal = AbortSignal.timeout(ms);
    while (this.#underWay > 0 && !signal.aborted) await this.#moved.after(this.#moved.count, ms, signal);
  }
}
