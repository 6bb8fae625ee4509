import { isAffirmable, toldForm } from '../domain/memory/affirmation.ts';
import { textHash } from '../support/text-hash.ts';
import type { InTurn } from './create-memory.ts';
import type { StoreMemoryInput } from './store-memory.ts';

/**
 * Keeps lines of a bulk request in order where it matters. Of two lines with one externalId the later one waits for the earlier one:
 * it is refused, or with `upsert` replaces it. The same holds for two lines that tell the same fact: the later one affirms it. Turns of a session with the same time, or without one, are ordered by the log, so each
 * is appended after the one that was sent before it.
 */
export class LineOrder {
  /**
   * Resolves when the latest line with a key has ended. Lines with the same externalId or text, or of the same session and time, share
   * a key.
   */
  readonly #latest = new Map<string, Promise<void>>();

  /** Stores a line after the earlier lines that it must not overtake. */
  store<Result>(input: StoreMemoryInput, store: (inTurn: InTurn) => Promise<Result>): Promise<Result> {
    const {
      occurredAt,
      scope: { session },
    } = input;
    const rival = rivalKey(input);
    const turn = session === undefined ? undefined : `session ${session} ${occurredAt ?? ''}`;
    const [rivalEnds, turnEnds] = [this.#endOf(rival), this.#endOf(turn)];
    const stored = rivalEnds.then(() => store((append) => turnEnds.then(append)));
    for (const key of [rival, turn]) if (key !== undefined) this.#add(key, stored);
    return stored;
  }

  async #endOf(key: string | undefined): Promise<void> {
    if (key !== undefined) await this.#latest.get(key);
  }

  /** Entries are removed when the line ends, however it ends: a body may have more lines than fit in memory. */
  #add(key: string, stored: Promise<unknown>): void {
    const end = stored.then(
      () => undefined,
      () => undefined,
    );
    this.#latest.set(key, end);
    void end.then(() => {
      if (this.#latest.get(key) === end) this.#latest.delete(key);
    });
  }
}

function rivalKey({ externalId, layer, content }: StoreMemoryInput): string | undefined {
  if (externalId !== undefined) return `externalId ${externalId}`;
  return isAffirmable({ layer }) ? `text ${textHash(toldForm(content))}` : undefined;
}
