// A filtered search over a data set in RAM, with the candidates and the score of the server.
import type { Filter } from '../../src/domain/filter.ts';
import { match, weigh, type TermFrequencies } from '../../src/domain/ranking/bm25.ts';
import { evidence, fuse } from '../../src/domain/ranking/fusion.ts';
import { BGE_SMALL } from '../../src/domain/ranking/scales.ts';
import type { Fielded } from '../../src/domain/routing/field-values.ts';
import { termCounts } from '../../src/domain/text/tokens.ts';
import { matches, type FilterJson } from '../../test/support/filter-oracle.ts';
import type { Memory } from '../ranking/datasets.ts';
import { cosine } from '../ranking/embed.ts';

/** Each engine returns at least this many. */
const DEPTH = 100;

/** A memory as the server stores it. */
export interface Stored extends Fielded {
  readonly id: string;
  readonly content: string;
  /** The id that gold answers use. */
  readonly document: string;
}

interface Indexed {
  readonly memory: Stored;
  readonly vector: Float32Array;
  readonly terms: TermFrequencies;
}

export function storedOf({ id, text, scope, timestamp, metadata }: Memory): Stored {
  const { tenant: _, company: __, ...own } = scope;
  return {
    id,
    content: text,
    document: metadata?.doc ?? id,
    scope: own,
    metadata: metadata ?? {},
    occurredAt: timestamp,
  };
}

/** The memories of one tenant. */
export class MemorySearch {
  readonly #indexed: readonly Indexed[];
  readonly #documentFrequency = new Map<string, number>();

  /** `vectors` belong to `memories`, in the same order. */
  constructor(memories: readonly Stored[], vectors: readonly Float32Array[]) {
    this.#indexed = memories.map((memory, i) => {
      const { counts, length } = termCounts(memory.content);
      for (const term of counts.keys())
        this.#documentFrequency.set(term, (this.#documentFrequency.get(term) ?? 0) + 1);
      return { memory, vector: vectors[i]!, terms: { termFrequencies: counts, length } };
    });
  }

  /** The best `top` memories that match the filter, best first. */
  search(query: string, vector: Float32Array, filter: Filter | undefined, top: number): Stored[] {
    const statistics = { documents: this.#indexed.length, documentFrequency: this.#documentFrequency };
    const terms = weigh([...termCounts(query).counts.keys()], statistics);
    const json = filter && filterJson(filter);
    const scored = this.#indexed
      .filter(({ memory }) => json === undefined || matches(json, { ...memory }))
      .map((one) => ({ one, dense: cosine(vector, one.vector), bm25: match(terms, one.terms).bm25 }));
    const depth = Math.max(DEPTH, top);
    const dense = scored.toSorted((a, b) => b.dense - a.dense).slice(0, depth);
    const lexical = scored
      .filter(({ bm25 }) => bm25 > 0)
      .sort((a, b) => b.bm25 - a.bm25)
      .slice(0, depth);
    return [...new Set([...dense, ...lexical])]
      .map(({ one, dense: near }) => ({
        memory: one.memory,
        score: fuse(evidence(terms, one.terms, near), BGE_SMALL.fusion),
      }))
      .sort((a, b) => b.score - a.score)
      .slice(0, top)
      .map(({ memory }) => memory);
  }
}

/** The filter as callers write it in JSON. */
export function filterJson(filter: Filter): FilterJson {
  if (filter.kind === 'not') return { not: filterJson(filter.filter) };
  if (filter.kind !== 'test') return { [filter.kind]: filter.filters.map(filterJson) };
  const name = filter.field === 'metadata' ? ['metadata', ...filter.path].join('.') : filter.field;
  return { [name]: { [filter.operator]: filter.value } };
}
