import type { MemoryResult } from './change-memory.ts';
import type { InTurn, StoreMemoryInput } from './store-memory.ts';

/**
 * Which lines must not pass others. Of two with one externalId the earlier wins, so that the later one waits for it. Turns of a
 * session that tell no time, or the same, are in the order of the log: none is appended before the one that was sent before it.
 */
export class EarlierLines {
  /** The end of the last line that came so far and is not over, by what it has in common with the next. */
  readonly #last = new Map<string, Promise<void>>();

  /** Stores a line after those it must not pass, and before those that come later. */
  before(
    { externalId, occurredAt, scope: { session } }: StoreMemoryInput,
    store: (inTurn: InTurn) => Promise<MemoryResult>,
  ): Promise<MemoryResult> {
    const rival = externalId === undefined ? undefined : `externalId ${externalId}`;
    const turn = session === undefined ? undefined : `session ${session} ${occurredAt ?? ''}`;
    const [rivalIsOver, turnIsOver] = [this.#over(rival), this.#over(turn)];
    const stored = rivalIsOver.then(() => store((append) => turnIsOver.then(append)));
    for (const key of [rival, turn]) if (key !== undefined) this.#keep(key, stored);
    return stored;
  }

  async #over(key: string | undefined): Promise<void> {
    if (key !== undefined) await this.#last.get(key);
  }

  /** Whatever becomes of it, and no longer: a body may have more lines than memory holds. */
  #keep(key: string, stored: Promise<unknown>): void {
    const over = stored.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(key, over);
    void over.then(() => {
      if (this.#last.get(key) === over) this.#last.delete(key);
    });
  }
}
