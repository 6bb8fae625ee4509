// The candidates of each query as the server would find them: the best of the vectors and the best of the words.
import { match, weigh, type TermStatistics } from '../../src/domain/ranking/bm25.ts';
import { evidence, type Evidence } from '../../src/domain/ranking/fusion.ts';
import { termCounts, type TermCounts } from '../../src/domain/text/tokens.ts';
import { inScope, type DataSet, type Memory, type Query } from './datasets.ts';
import { cosine } from './embed.ts';

const DEPTH = 100;

export interface Found extends Evidence {
  readonly memory: string;
  /** What gold is named by: the document where there are documents, else the memory. */
  readonly key: string;
  readonly relevant: boolean;
}

export interface Case {
  readonly set: string;
  readonly query: Query;
  readonly gold: ReadonlySet<string>;
  readonly found: readonly Found[];
}

interface Indexed {
  readonly memory: Memory;
  readonly vector: Float32Array;
  readonly terms: TermCounts;
}

interface Tenant {
  readonly memories: Indexed[];
  readonly documentFrequency: Map<string, number>;
}

/** One case a query, in its own scope; statistics are of the whole tenant. */
export function casesOf(
  set: DataSet,
  memoryVectors: readonly Float32Array[],
  queryVectors: readonly Float32Array[],
): Case[] {
  const tenants = indexTenants(set.memories, memoryVectors);
  return set.queries.map((query, i) => {
    const tenant = tenants.get(query.scope['tenant'] ?? '');
    const vector = queryVectors[i];
    if (tenant === undefined || vector === undefined)
      throw new Error(`${query.id}: no such tenant or no vector`);
    return caseOf(set.name, query, vector, tenant);
  });
}

function caseOf(set: string, query: Query, vector: Float32Array, tenant: Tenant): Case {
  const statistics: TermStatistics = {
    documents: tenant.memories.length,
    documentFrequency: tenant.documentFrequency,
  };
  const terms = weigh([...termCounts(query.query).counts.keys()], statistics);
  const scored = tenant.memories
    .filter(({ memory }) => inScope(memory.scope, query.scope))
    .map((indexed) => {
      const frequencies = { termFrequencies: indexed.terms.counts, length: indexed.terms.length };
      const dense = cosine(vector, indexed.vector);
      return { indexed, frequencies, dense, bm25: match(terms, frequencies).bm25 };
    });
  const dense = scored.toSorted((a, b) => b.dense - a.dense).slice(0, DEPTH);
  const lexical = scored
    .filter(({ bm25 }) => bm25 > 0)
    .sort((a, b) => b.bm25 - a.bm25)
    .slice(0, DEPTH);

  const byDocument = query.gold_docs !== undefined;
  const gold = new Set(query.gold_docs ?? query.gold);
  const found = [...new Set([...dense, ...lexical])].map((hit): Found => {
    const { id, metadata } = hit.indexed.memory;
    const key = byDocument ? (metadata?.doc ?? id) : id;
    return { ...evidence(terms, hit.frequencies, hit.dense), memory: id, key, relevant: gold.has(key) };
  });
  return { set, query, gold, found };
}

function indexTenants(memories: readonly Memory[], vectors: readonly Float32Array[]): Map<string, Tenant> {
  const tenants = new Map<string, Tenant>();
  for (const [i, memory] of memories.entries()) {
    const vector = vectors[i];
    if (vector === undefined) throw new Error(`${memory.id} has no vector`);
    const name = memory.scope['tenant'] ?? '';
    const tenant = tenants.get(name) ?? { memories: [], documentFrequency: new Map<string, number>() };
    tenants.set(name, tenant);
    const terms = termCounts(memory.text);
    tenant.memories.push({ memory, vector, terms });
    for (const term of terms.counts.keys()) {
      tenant.documentFrequency.set(term, (tenant.documentFrequency.get(term) ?? 0) + 1);
    }
  }
  return tenants;
}

export interface Ranked extends Found {
  readonly score: number;
}

/** Best first by `score`, one a key. Candidates scored `undefined` are left out. */
export function rank(candidates: readonly Found[], score: (found: Found) => number | undefined): Ranked[] {
  const scored: Ranked[] = [];
  for (const found of candidates) {
    const value = score(found);
    if (value !== undefined) scored.push({ ...found, score: value });
  }
  const seen = new Set<string>();
  return scored.sort((a, b) => b.score - a.score).filter(({ key }) => !seen.has(key) && seen.add(key));
}
