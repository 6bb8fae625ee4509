import { innermostContainer } from '../../domain/layers.ts';
import type { MemoryView } from '../../domain/memory/view.ts';
import type { DrillLayer } from '../../domain/routing/actions.ts';
import { intersect, isNarrow, type Narrowing } from './narrowing.ts';
import type { Part } from './parts.ts';
import { answering, resembling } from './pool.ts';

/** The parts of a question: those it was taken apart into, and what they lead to on the way. */
export class Agenda {
  /** What the question may look at. */
  readonly #base: Narrowing;
  readonly #parts: Part[];

  constructor(base: Narrowing, parts: readonly Part[]) {
    this.#base = base;
    this.#parts = [...parts];
  }

  /** The next part, with its number. */
  get next(): { readonly part: Part; readonly index: number } | undefined {
    const index = this.#parts.findIndex(({ state }) => state === 'pending');
    return index < 0 ? undefined : { part: this.#parts[index]!, index };
  }

  get pending(): readonly Part[] {
    return this.#parts.filter(({ state }) => state === 'pending');
  }

  /** Whether any part names a condition. */
  get isConditioned(): boolean {
    return this.#parts.some(({ evidence }) => evidence > answering);
  }

  part(index: number): Part {
    return this.#parts[index]!;
  }

  /** The same part under other conditions, unless these lie outside. */
  again(part: Part, conditions: Narrowing, evidence: number, weaker: Part['weaker'] = []): void {
    const narrowing = intersect(this.#base, conditions);
    if (!narrowing) return;
    this.#parts.push({
      ...part,
      conditions,
      narrowing,
      evidence,
      weaker,
      follow: undefined,
      state: 'pending',
    });
  }

  /** The same part without its conditions, unless something was looked for so already. */
  widen(part: Part): void {
    const isThere = this.#parts.some((other) => other.query === part.query && !isNarrow(other.conditions));
    if (!isThere) this.again({ ...part, drillTo: undefined }, {}, resembling);
  }

  /** All of the innermost place that a memory lies in. */
  followScope(part: Part, { scope }: MemoryView): void {
    const place = innermostContainer(scope);
    if (place) this.again(part, { scope: { [place.key]: place.value } }, 1);
  }

  /**
   * A part in each of these places by itself, as a side of its own where it has none. Answers how many there are: what lies
   * outside is none.
   */
  split(part: Part, to: DrillLayer, names: readonly string[], evidence: number): number {
    const before = this.#parts.length;
    for (const [index, name] of names.entries()) {
      const conditions: Narrowing = { ...part.conditions, scope: { ...part.conditions.scope, [to]: name } };
      const place: Part = {
        ...part,
        label: name,
        side: part.side ?? index,
        maySearch: true,
        mayRecurse: false,
        drillTo: undefined,
      };
      this.again(place, conditions, evidence);
    }
    return this.#parts.length - before;
  }
}
