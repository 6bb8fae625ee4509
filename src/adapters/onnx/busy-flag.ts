const idle = 0;
const busy = 1;
const over = 2;

/**
 * Keeps a thread from being ended inside native code: there `process.exit` would make onnxruntime-node abort the whole
 * process (SIGABRT instead of the exit code). The thread does its work under the flag, the process takes the flag last.
 */
export class BusyFlag {
  readonly #state: Int32Array<SharedArrayBuffer>;

  /** Over the memory of another thread's flag, or a new one. */
  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.#state = new Int32Array(memory);
  }

  get memory(): SharedArrayBuffer {
    return this.#state.buffer;
  }

  /** Runs `work` under the flag; once `endWhenIdle` was called, never. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    if (Atomics.compareExchange(this.#state, 0, idle, busy) === over) return new Promise(() => undefined);
    try {
      return await work();
    } finally {
      this.clear();
    }
  }

  /** No longer busy: for a thread that died without saying so. */
  clear(): void {
    Atomics.compareExchange(this.#state, 0, busy, idle);
    Atomics.notify(this.#state, 0);
  }

  /** Blocks the calling thread while the other is busy, at most so long, and lets it start nothing more. */
  endWhenIdle(mostMs: number): void {
    Atomics.wait(this.#state, 0, busy, mostMs);
    Atomics.compareExchange(this.#state, 0, idle, over);
  }
}
