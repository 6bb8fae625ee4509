type Task =
  | { readonly holds: true; readonly background: boolean; readonly start: () => void }
  /** `start` resolves with the answer. */
  | { readonly holds: false; readonly background: boolean; readonly start: () => Promise<unknown> };

/** The share of the time that background work leaves to others while they wait for it, as a multiple of its own. */
const yieldFactor = 19;
const longestYieldMs = 1_000;
/** Nobody came for so long: the connection is as good as idle. */
const quietMs = 3;

/**
 * Lets tasks onto the one connection in the order of their arrival. Single statements pass at once, one behind the
 * other; a transaction holds the turnstile, and all that come later wait, until it is released. Background work lets
 * others go first, but never starves: it gets about a twentieth of the time of a connection that is always wanted.
 */
export class Turnstile {
  readonly #queue: Task[] = [];
  readonly #background: Task[] = [];
  #held: Task | undefined;
  #heldSince = 0;
  /** Statements of the foreground that were sent and not answered. */
  #underWay = 0;
  #lastWanted = -Infinity;
  #backgroundAfter = -Infinity;
  #waking = false;

  /** Runs `start` when it is this task's turn; at once where nothing holds or waits. Background work is in nobody's way here. */
  pass(background: boolean, start: () => Promise<unknown>): void {
    this.#enter({ holds: false, background, start });
  }

  /** As `pass`, and nothing passes after it until `release`. */
  hold(start: () => void): void {
    this.#enter({ holds: true, background: false, start });
  }

  /** As `hold`, when nobody else wants the connection or background work has waited long enough. */
  holdInBackground(start: () => void): void {
    this.#background.push({ holds: true, background: true, start });
    this.#letBackgroundIn();
  }

  release(): void {
    const now = performance.now();
    if (this.#held && !this.#held.background) this.#lastWanted = now;
    if (this.#held?.background) {
      this.#backgroundAfter = now + Math.min(yieldFactor * (now - this.#heldSince), longestYieldMs);
    }
    this.#held = undefined;
    while (!this.#held && this.#queue.length > 0) {
      // Where transactions wait at every release the queue is never empty.
      const isBackgroundDue = this.#background.length > 0 && now >= this.#backgroundAfter;
      const next = this.#queue[0]!.holds && isBackgroundDue ? this.#background : this.#queue;
      this.#start(next.shift()!);
    }
    this.#letBackgroundIn();
  }

  #enter(task: Task): void {
    if (this.#held || this.#queue.length > 0) this.#queue.push(task);
    else this.#start(task);
  }

  #start(task: Task): void {
    if (task.holds) {
      this.#held = task;
      this.#heldSince = performance.now();
      task.start();
    } else if (task.background) void task.start();
    else this.#watch(task.start());
  }

  #watch(answer: Promise<unknown>): void {
    this.#underWay++;
    const settle = () => {
      this.#underWay--;
      this.#lastWanted = performance.now();
    };
    answer.then(settle, settle);
  }

  #letBackgroundIn(): void {
    if (this.#held || this.#queue.length > 0 || this.#background.length === 0) return;
    const now = performance.now();
    const due = Math.min(this.#backgroundAfter, (this.#underWay > 0 ? now : this.#lastWanted) + quietMs);
    if (now >= due) {
      this.#start(this.#background.shift()!);
      return;
    }
    if (this.#waking) return;
    this.#waking = true;
    setTimeout(() => {
      this.#waking = false;
      this.#letBackgroundIn();
    }, due - now);
  }
}
