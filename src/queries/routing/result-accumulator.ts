import type { Scope, ScopeKey } from '../../domain/layers.ts';
import { lastToldAt } from '../../domain/memory/affirmation.ts';
import type { MemoryView } from '../../domain/memory/view.ts';
import type { SearchResult } from '../../domain/routing/aggregate.ts';
import { withEvidence } from '../../domain/routing/evidence.ts';
import type { Scored } from '../search/shortlist.ts';

/**
 * Evidence levels for `withEvidence`. `answering`: the memory matches a subquery without conditions. `resembling`: it only
 * resembles the question as a whole. A memory that meets conditions has a level above `answering`.
 */
export const answering = 0;
export const resembling = -1;

interface Entry {
  readonly memory: MemoryView;
  readonly isSuperseded: boolean | undefined;
  readonly isRefuted: boolean | undefined;
  feedback: number | undefined;
  value: number | undefined;
  score: number;
  /** The passage found by the search that gave the highest score. */
  passage: number | undefined;
  evidence: number;
  /** The side of a comparison whose search gave the highest score. */
  side: number | undefined;
  sideScore: number;
  tooOld: boolean;
  readonly steps: Set<number>;
}

export interface Addition {
  readonly found: Scored;
  readonly evidence: number;
  readonly side: number | undefined;
  readonly steps: Iterable<number>;
}

/** Collects the memories found by the steps of one question, without duplicates. */
export class ResultAccumulator {
  readonly #entries = new Map<string, Entry>();
  /** At least one memory meets a condition, so memories that meet none rank below it. */
  #conditionsMet = false;
  /** The places that are sides of the comparison. The index of a name is the number of its side. */
  #places: { readonly key: ScopeKey; readonly names: readonly string[] } | undefined;

  get size(): number {
    return this.#entries.size;
  }

  add({ found, evidence, side, steps }: Addition): void {
    const { memory, score, passage, isSuperseded, isRefuted, feedback, value } = found;
    if (evidence > answering) this.#conditionsMet = true;
    let entry = this.#entries.get(memory.id);
    if (!entry) {
      const sides = { side: undefined, sideScore: -1 };
      const first = { memory, isSuperseded, isRefuted, feedback, value, score, passage };
      entry = { ...first, evidence, ...sides, tooOld: false, steps: new Set() };
      this.#entries.set(memory.id, entry);
    }
    if (score > entry.score) {
      entry.passage = passage;
      entry.feedback = feedback;
      entry.value = value;
    }
    entry.score = Math.max(entry.score, score);
    entry.evidence = Math.max(entry.evidence, evidence);
    if (side !== undefined && score > entry.sideScore) {
      entry.side = side;
      entry.sideScore = score;
    }
    for (const step of steps) entry.steps.add(step);
  }

  /** Treats each place as a side: a memory in a place belongs to its side unless a search for another side found it. */
  takeAsSides(key: ScopeKey, names: readonly string[]): void {
    this.#places = { key, names };
  }

  /** Ranks memories older than `time` below the rest, unless all are older. Returns the number of memories that are not older. */
  markOlderThan(time: Date): number {
    const oldest = time.toISOString();
    const isOld = ({ memory }: Entry) => lastToldAt(memory) < oldest;
    const entries = [...this.#entries.values()];
    const young = entries.filter((entry) => !isOld(entry)).length;
    if (young > 0) for (const entry of entries) entry.tooOld = isOld(entry);
    return young;
  }

  /** Removes memories whose probability is below `least`. Returns the number that remain. */
  dropBelow(least: number): number {
    for (const [id, entry] of this.#entries) if (this.#scoreOf(entry) < least) this.#entries.delete(id);
    return this.#entries.size;
  }

  found(): SearchResult[] {
    return [...this.#entries.values()].map((entry) => ({
      id: entry.memory.id,
      score: this.#scoreOf(entry),
      side: this.#sideOf(entry),
      place: placeOf(entry.memory),
    }));
  }

  /** The collected memory with this id, with the score that it has in the answer. */
  shown({ id, score }: Pick<SearchResult, 'id' | 'score'>): Scored {
    const entry = this.#entries.get(id)!;
    const { memory, passage, isSuperseded, isRefuted, feedback, value } = entry;
    return {
      memory,
      score,
      passage,
      part: this.#sideOf(entry),
      ...(isSuperseded !== undefined && { isSuperseded }),
      ...(isRefuted && { isRefuted }),
      ...(feedback !== undefined && { feedback }),
      ...(value !== undefined && { value }),
    };
  }

  /** The side whose search gave the highest score, otherwise the side of the memory's place. */
  sideOf(id: string): number | undefined {
    return this.#sideOf(this.#entries.get(id)!);
  }

  steps(id: string): number[] {
    return [...this.#entries.get(id)!.steps].sort((left, right) => left - right);
  }

  /** The sum of the search scores of the memories in each place of one kind. */
  weightByPlace(key: ScopeKey): Map<string, number> {
    const weights = new Map<string, number>();
    for (const { memory, score } of this.#entries.values()) {
      const place = memory.scope[key];
      if (place !== undefined) weights.set(place, (weights.get(place) ?? 0) + score);
    }
    return weights;
  }

  #sideOf({ side, memory }: Entry): number | undefined {
    if (side !== undefined || !this.#places) return side;
    const { key, names } = this.#places;
    const place = names.indexOf(memory.scope[key] ?? '');
    return place < 0 ? undefined : place;
  }

  #scoreOf({ score, evidence, tooOld }: Entry): number {
    const conditioned = this.#conditionsMet ? withEvidence(score, evidence) : score;
    return tooOld ? withEvidence(conditioned, resembling) : conditioned;
  }
}

/** Whether a memory has all these identifiers. A search in a scope also returns memories without them. */
export function isIn(memory: MemoryView, scope: Scope): boolean {
  return Object.entries(scope).every(([key, value]) => memory.scope[key as ScopeKey] === value);
}

/** A project or session is one place, because its further memories add less. In other layers each memory is its own place. */
function placeOf({ id, layer, scope }: MemoryView): string {
  return layer === 'project' || layer === 'session' ? JSON.stringify([layer, scope]) : id;
}
