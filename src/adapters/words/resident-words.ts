import { partOf, sharedPart, type Part } from '../../domain/access/counted-parts.ts';
import type { Layer } from '../../domain/layers.ts';
import { bestPassage, type PassageMatch } from '../../domain/ranking/best-passage.ts';
import type { TermStatistics, WeightedTerms } from '../../domain/ranking/bm25.ts';
import { forEachPlaces, lengthsOf, placesOf } from '../../domain/text/passage-terms.ts';
import type { TermSignal, Words } from '../../ports/word-index.ts';
import type { Contents } from '../resident/resident-table.ts';
import { bestFirst, InvertedIndex, type CountedText, type ScoredText } from './inverted-index.ts';

/** The words of a memory, and of its passages if its text is long. */
export interface WordRow extends Omit<CountedText, 'part'> {
  readonly layer: Layer;
  readonly user_id: string | null;
  readonly session: string | null;
  readonly agent: string | null;
  readonly passage_terms: string | null;
  readonly passage_lengths: string | null;
}

/** The words of a tenant's memories and those of their passages, each in an index of its own. */
export class ResidentWords implements Contents<WordRow>, Words {
  readonly #memories = new InvertedIndex();
  readonly #passages = new InvertedIndex();
  /** Number of passages by memory. */
  readonly #counts = new Map<string, number>();

  get size(): number {
    return this.#memories.size;
  }

  get documents(): number {
    return this.#memories.documents;
  }

  get bytes(): number {
    return this.#memories.bytes + this.#passages.bytes;
  }

  statistics(terms: readonly string[], parts: 'all' | readonly Part[]): TermStatistics {
    return this.#memories.statistics(terms, parts);
  }

  put(rows: readonly WordRow[]): void {
    this.#memories.put(rows.map((row) => ({ ...row, part: partOfRow(row) })));
    for (const { memory_id: id, passage_terms: terms, passage_lengths: lengths } of rows) {
      this.#removePassages(id);
      if (terms === null || lengths === null) continue;
      const passages = countedPassages(id, terms, lengthsOf(lengths));
      this.#passages.put(passages);
      this.#counts.set(id, passages.length);
    }
  }

  has(memoryId: string): boolean {
    return this.#memories.has(memoryId);
  }

  remove(memoryId: string): void {
    this.#memories.remove(memoryId);
    this.#removePassages(memoryId);
  }

  best(query: WeightedTerms, limit: number, among?: readonly string[]): string[] {
    const scores = new Map<string, number>();
    const add = ({ id, score }: ScoredText) => scores.set(id, Math.max(score, scores.get(id) ?? 0));
    for (const text of this.#memories.best(query, limit, among)) add(text);
    for (const text of this.#bestByPassage(query, limit, among)) add(text);
    return Array.from(scores, ([id, score]) => ({ id, score }))
      .sort(bestFirst)
      .slice(0, limit)
      .map(({ id }) => id);
  }

  signals(terms: readonly string[], ids: readonly string[]): readonly (TermSignal | undefined)[] {
    return this.#memories.signals(terms, ids);
  }

  passages(query: WeightedTerms, ids: readonly string[]): readonly (PassageMatch | undefined)[] {
    return ids.map((id) => {
      const passages = this.#idsOf(id);
      if (passages.length === 0) return undefined;
      const signals = this.#passages.signals(query.terms, passages);
      const places = query.terms.map((_, at) => {
        const counts = signals.map((signal) => signal?.frequencies[at] ?? 0);
        const having = [...counts.keys()].filter((passage) => counts[passage]! > 0);
        return { passages: having, counts: having.map((passage) => counts[passage]!) };
      });
      return bestPassage(
        query,
        places,
        signals.map((signal) => signal?.length ?? 0),
      );
    });
  }

  /** The best memories, each once with its best passage. Asks for more passages until there are enough memories. */
  #bestByPassage(query: WeightedTerms, limit: number, among?: readonly string[]): ScoredText[] {
    if (this.#counts.size === 0) return [];
    const passages = among?.flatMap((id) => this.#idsOf(id));
    for (let asked = limit; ; asked *= 4) {
      const found = this.#passages.best(query, asked, passages);
      const best = new Map<string, ScoredText>();
      for (const { id, score } of found) {
        const memory = memoryOf(id);
        if (!best.has(memory)) best.set(memory, { id: memory, score });
      }
      if (best.size >= limit || found.length < asked) return [...best.values()].slice(0, limit);
    }
  }

  #idsOf(memoryId: string): readonly string[] {
    return Array.from({ length: this.#counts.get(memoryId) ?? 0 }, (_, n) => idOf(memoryId, n));
  }

  #removePassages(memoryId: string): void {
    for (const id of this.#idsOf(memoryId)) this.#passages.remove(id);
    this.#counts.delete(memoryId);
  }
}

function partOfRow({ layer, user_id: user, session, agent }: WordRow): Part {
  return partOf({
    layer,
    scope: { user: user ?? undefined, session: session ?? undefined, agent: agent ?? undefined },
  });
}

function idOf(memoryId: string, passage: number): string {
  return `${memoryId}/${passage}`;
}

function memoryOf(id: string): string {
  return id.slice(0, id.indexOf('/'));
}

/** The passages with their term counts, as the index takes them. */
function countedPassages(memoryId: string, terms: string, lengths: readonly number[]): CountedText[] {
  const counts = lengths.map((): string[] => []);
  forEachPlaces(terms, (term, entries) => {
    const places = placesOf(entries);
    for (const [at, passage] of places.passages.entries())
      counts[passage]!.push(`"${term}":${places.counts[at]!}`);
  });
  return lengths.map((length, n) => ({
    memory_id: idOf(memoryId, n),
    counts: `{${counts[n]!.join(',')}}`,
    length,
    // Passages have no statistics of their own.
    part: sharedPart,
  }));
}
