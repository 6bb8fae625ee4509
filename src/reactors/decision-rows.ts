import { refinedWithinMs } from '../domain/learning/refinement.ts';
import type { DecisionRow, SearchKey } from './decision-row.ts';

/** The rows of searches that some events are about, as they are after the events handled so far, and which of them have changed. */
export class DecisionRows {
  readonly #rows = new Map<string, DecisionRow>();
  readonly #changed = new Map<string, SearchKey>();

  /** Adds rows as the table has them. */
  add(rows: readonly DecisionRow[]): void {
    for (const row of rows) this.#rows.set(keyOf(row), row);
  }

  get(key: SearchKey): DecisionRow | undefined {
    return this.#rows.get(keyOf(key));
  }

  /** Sets a row. Removes it if its outcome is final and there was no choice of a route: then nothing can be learned from it. */
  put(row: DecisionRow): void {
    if (row.finished && !row.choice) return this.remove(row);
    this.#rows.set(keyOf(row), row);
    this.#changed.set(keyOf(row), row);
  }

  remove(row: DecisionRow): void {
    this.#rows.delete(keyOf(row));
    this.#changed.set(keyOf(row), row);
  }

  /** The changed rows as they are now. */
  get written(): DecisionRow[] {
    return [...this.#changed.values()].flatMap((key) => this.get(key) ?? []);
  }

  /** The searches whose rows are to be deleted. */
  get removed(): SearchKey[] {
    return [...this.#changed.values()].filter((key) => !this.get(key));
  }

  /** The searches that a later one may refine, the latest first, at most `most`. */
  before(later: DecisionRow, most: number): DecisionRow[] {
    return [...this.#rows.values()]
      .filter((row) => precedes(row, later))
      .sort((left, right) => right.askedAt.getTime() - left.askedAt.getTime())
      .slice(0, most);
  }
}

const keyOf = ({ tenant, search }: SearchKey): string => `${tenant}/${search}`;

/** Whether a search may be refined by a later one: its answer was there when the other was asked, and it is still open. */
function precedes(row: DecisionRow, later: DecisionRow): boolean {
  const waited = later.askedAt.getTime() - row.askedAt.getTime();
  return (
    row.tenant === later.tenant &&
    row.session === later.session &&
    row.search !== later.search &&
    !row.finished &&
    row.answeredAt <= later.askedAt &&
    waited <= refinedWithinMs
  );
}
