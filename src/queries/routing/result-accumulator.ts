import type { Scope, ScopeKey } from '../../domain/layers.ts';
import type { MemoryView } from '../../domain/memory/view.ts';
import type { Found } from '../../domain/routing/aggregate.ts';
import { withEvidence } from '../../domain/routing/evidence.ts';
import type { Scored } from '../search/shortlist.ts';

/**
 * What it says of a memory that a search found it, as `withEvidence` takes it: it answers a subquery of the question that
 * has no conditions, or it only resembles the question as a whole. What meets conditions is above the first.
 */
export const answering = 0;
export const resembling = -1;

interface Entry {
  readonly memory: MemoryView;
  readonly isSuperseded: boolean | undefined;
  score: number;
  evidence: number;
  /** The side of a comparison whose search found it best. */
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

/** The memories that the steps of one question have found, each once. */
export class ResultAccumulator {
  readonly #entries = new Map<string, Entry>();
  /** Something meets a condition: what does not stands behind it. */
  #conditionsMet = false;
  /** The places that are sides, each by its number. */
  #places: { readonly key: ScopeKey; readonly names: readonly string[] } | undefined;

  get size(): number {
    return this.#entries.size;
  }

  add({ found: { memory, score, isSuperseded }, evidence, side, steps }: Addition): void {
    if (evidence > answering) this.#conditionsMet = true;
    let entry = this.#entries.get(memory.id);
    if (!entry) {
      const sides = { side: undefined, sideScore: -1 };
      entry = { memory, isSuperseded, score, evidence, ...sides, tooOld: false, steps: new Set() };
      this.#entries.set(memory.id, entry);
    }
    entry.score = Math.max(entry.score, score);
    entry.evidence = Math.max(entry.evidence, evidence);
    if (side !== undefined && score > entry.sideScore) {
      entry.side = side;
      entry.sideScore = score;
    }
    for (const step of steps) entry.steps.add(step);
  }

  /** Makes sides of places: what lies in one belongs to it, whatever search found it. */
  takeAsSides(key: ScopeKey, names: readonly string[]): void {
    this.#places = { key, names };
  }

  /** Puts what is older behind the rest, unless nothing is young enough. Answers how many are. */
  markOlderThan(time: Date): number {
    const oldest = time.toISOString();
    const isOld = ({ memory }: Entry) => (memory.occurredAt ?? memory.createdAt) < oldest;
    const entries = [...this.#entries.values()];
    const young = entries.filter((entry) => !isOld(entry)).length;
    if (young > 0) for (const entry of entries) entry.tooOld = isOld(entry);
    return young;
  }

  /** Drops what is below a probability. Answers how many are left. */
  dropBelow(least: number): number {
    for (const [id, entry] of this.#entries) if (this.#scoreOf(entry) < least) this.#entries.delete(id);
    return this.#entries.size;
  }

  found(): Found[] {
    return [...this.#entries.values()].map((entry) => ({
      id: entry.memory.id,
      score: this.#scoreOf(entry),
      side: this.#sideOf(entry),
      place: placeOf(entry.memory),
    }));
  }

  /** A memory of the answer, with the score that it has there. */
  shown({ id, score }: Pick<Found, 'id' | 'score'>): Scored {
    const { memory, isSuperseded } = this.#entries.get(id)!;
    return { memory, score, ...(isSuperseded !== undefined && { isSuperseded }) };
  }

  /** The side of a comparison that found it best, or that it lies in. */
  sideOf(id: string): number | undefined {
    return this.#sideOf(this.#entries.get(id)!);
  }

  steps(id: string): number[] {
    return [...this.#entries.get(id)!.steps].sort((left, right) => left - right);
  }

  /** How much of what was found lies in each place of a kind: the sum of its probabilities. */
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

/** Whether a memory has these identifiers, where a search in a scope also finds what lacks them. */
export function isIn(memory: MemoryView, scope: Scope): boolean {
  return Object.entries(scope).every(([key, value]) => memory.scope[key as ScopeKey] === value);
}

/** Projects and sessions are about one thing, so that more of the same says less; elsewhere each memory is its own place. */
function placeOf({ id, layer, scope }: MemoryView): string {
  return layer === 'project' || layer === 'session' ? JSON.stringify([layer, scope]) : id;
}
