type Task =
  | { readonly holds: true; readonly background: boolean; readonly start: () => void }
  /** `start` resolves with the answer. */
  | { readonly holds: false; readonly background: boolean; readonly start: () => Promise<unknown> };

/** Time that background work leaves to waiting foreground work, as a multiple of its own duration. */
const yieldFactor = 19;
const longestYieldMs = 1_000;
/** After this long without foreground work the connection counts as idle. */
const quietMs = 3;

/**
 * Schedules tasks on the single connection in the order of their arrival. Statements start at once, one after another. A
 * transaction has the connection exclusively: later tasks wait until it is released. Background transactions give way to others
 * but never starve: on a connection that is always busy they get about 5 % of the time.
 */
export class ConnectionScheduler {
  readonly #queue: Task[] = [];
  readonly #background: Task[] = [];
  #holder: Task | undefined;
  #holderSince = 0;
  /** Foreground statements that have not been answered yet. */
  #inFlight = 0;
  #lastForeground = -Infinity;
  #backgroundAfter = -Infinity;
  #waking = false;

  /** Runs a statement: calls `start` when it is this task's turn, at once if no transaction runs or waits. */
  run(background: boolean, start: () => Promise<unknown>): void {
    this.#enter({ holds: false, background, start });
  }

  /** Like `run`, for a transaction: no other task starts until `release`. */
  acquire(start: () => void): void {
    this.#enter({ holds: true, background: false, start });
  }

  /** Like `acquire`, but starts only when the connection is idle or background work has waited long enough. */
  acquireInBackground(start: () => void): void {
    this.#background.push({ holds: true, background: true, start });
    this.#startBackground();
  }

  release(): void {
    const now = performance.now();
    if (this.#holder && !this.#holder.background) this.#lastForeground = now;
    if (this.#holder?.background) {
      this.#backgroundAfter = now + Math.min(yieldFactor * (now - this.#holderSince), longestYieldMs);
    }
    this.#holder = undefined;
    while (!this.#holder && this.#queue.length > 0) {
      // If transactions wait at every release, the queue is never empty, and background work would starve.
      const isBackgroundDue = this.#background.length > 0 && now >= this.#backgroundAfter;
      const next = this.#queue[0]!.holds && isBackgroundDue ? this.#background : this.#queue;
      this.#start(next.shift()!);
    }
    this.#startBackground();
  }

  #enter(task: Task): void {
    if (this.#holder || this.#queue.length > 0) this.#queue.push(task);
    else this.#start(task);
  }

  #start(task: Task): void {
    if (task.holds) {
      this.#holder = task;
      this.#holderSince = performance.now();
      task.start();
    } else if (task.background) void task.start();
    else this.#watch(task.start());
  }

  #watch(answer: Promise<unknown>): void {
    this.#inFlight++;
    const settle = () => {
      this.#inFlight--;
      this.#lastForeground = performance.now();
    };
    answer.then(settle, settle);
  }

  #startBackground(): void {
    if (this.#holder || this.#queue.length > 0 || this.#background.length === 0) return;
    const now = performance.now();
    const due = Math.min(this.#backgroundAfter, (this.#inFlight > 0 ? now : this.#lastForeground) + quietMs);
    if (now >= due) {
      this.#start(this.#background.shift()!);
      return;
    }
    if (this.#waking) return;
    this.#waking = true;
    setTimeout(() => {
      this.#waking = false;
      this.#startBackground();
    }, due - now);
  }
}
