const idle = 0;
const busy = 1;
const over = 2;

/**
 * Keeps `process.exit` from ending a thread inside native code, where onnxruntime-node would abort the whole process (SIGABRT
 * instead of the exit code). The thread sets the flag while it works; at exit the process waits until it is cleared.
 */
export class BusyFlag {
  readonly #state: Int32Array<SharedArrayBuffer>;

  /** Shares the memory of another thread's flag, or creates a new one. */
  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.#state = new Int32Array(memory);
  }

  get memory(): SharedArrayBuffer {
    return this.#state.buffer;
  }

  /** Runs `work` with the flag set. After `endWhenIdle`, `work` is not run and the promise never settles. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    if (Atomics.compareExchange(this.#state, 0, idle, busy) === over) return new Promise(() => undefined);
    try {
      return await work();
    } finally {
      this.clear();
    }
  }

  /** Clears the flag of a thread that died while busy. */
  clear(): void {
    Atomics.compareExchange(this.#state, 0, busy, idle);
    Atomics.notify(this.#state, 0);
  }

  /** Blocks the calling thread while the other is busy, `mostMs` at most, and keeps it from starting more work. */
  endWhenIdle(mostMs: number): void {
    Atomics.wait(this.#state, 0, busy, mostMs);
    Atomics.compareExchange(this.#state, 0, idle, over);
  }
}
