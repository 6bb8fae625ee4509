// The candidates of each query as the server finds them: the best by vectors and the best by words.
import {
  match,
  weigh,
  type TermFrequencies,
  type TermStatistics,
  type WeightedTerms,
} from '../../src/domain/ranking/bm25.ts';
import { bestPassage } from '../../src/domain/ranking/best-passage.ts';
import { askedTimes, datedAs, isWithin, numbersOfTimes } from '../../src/domain/ranking/dates.ts';
import { evidence, type Evidence } from '../../src/domain/ranking/fusion.ts';
import { speakerMatcher, speakerOf } from '../../src/domain/ranking/speaker.ts';
import { windowAt } from '../../src/domain/ranking/window.ts';
import { countPassages, type CountedPassages } from '../../src/domain/text/passage-terms.ts';
import { queryTerms, termCounts } from '../../src/domain/text/tokens.ts';
import { minCandidates } from '../../src/queries/search/query.ts';
import { candidatesInPeriods } from '../../src/queries/search/sources/in-periods.ts';
import { inScope, type DataSet, type Memory, type Query } from './datasets.ts';
import { cosine, type SetVectors } from './embed.ts';
import { textbookBm25 } from './textbook-bm25.ts';

export interface ScoredCandidate extends Evidence {
  readonly memory: string;
  /** The id that gold answers use: the document's if the set has documents, else the memory's. */
  readonly key: string;
  readonly relevant: boolean;
  /** Share of the query's mass whose terms the whole text contains. */
  readonly coverage: number;
  /** `lexical` from its own words alone. */
  readonly ownLexical: number | undefined;
  /** Textbook BM25 from its own words alone. */
  readonly textbook: number;
}

export interface Case {
  readonly set: string;
  readonly query: Query;
  readonly gold: ReadonlySet<string>;
  readonly found: readonly ScoredCandidate[];
  /** Milliseconds to find them and compute their evidence. */
  readonly ms: number;
}

interface Indexed {
  readonly memory: Memory;
  readonly vector: Float32Array;
  readonly terms: TermFrequencies;
  /** Of a long text. */
  readonly passages:
    { readonly vectors: readonly Float32Array[]; readonly counted: CountedPassages } | undefined;
  readonly speaker: string | undefined;
  /** For a turn of a session. */
  window?: TermFrequencies;
}

interface Tenant {
  readonly memories: Indexed[];
  readonly documentFrequency: Map<string, number>;
  meanLength: number;
}

/** Context beside a memory's own words and vector. Each part can be left out to measure its effect. */
export const CONTEXT_PARTS = ['window', 'speaker', 'dated'] as const;
export type ContextPart = (typeof CONTEXT_PARTS)[number];

/** One case per query, in the query's own scope; term statistics are of the whole tenant. */
export function casesOf(set: DataSet, { memories, passages, queries }: SetVectors): Case[] {
  const tenants = indexTenants(set.memories, memories, passages);
  return set.queries.map((query, i) => {
    const tenant = tenants.get(query.scope['tenant'] ?? '');
    const vector = queries[i];
    if (tenant === undefined || vector === undefined)
      throw new Error(`${query.id}: no such tenant or no vector`);
    return caseOf(set.name, query, vector, tenant);
  });
}

function caseOf(set: string, query: Query, vector: Float32Array, tenant: Tenant): Case {
  const started = performance.now();
  const statistics: TermStatistics = {
    documents: tenant.memories.length,
    documentFrequency: tenant.documentFrequency,
  };
  const times = askedTimes(query.query, query.now === undefined ? undefined : new Date(query.now));
  const numbers = numbersOfTimes(query.query, times);
  const words = queryTerms(query.query).filter((term) => !numbers.has(term));
  const terms = weigh(words, statistics);
  const scored = tenant.memories
    .filter(({ memory }) => inScope(memory, query.scope))
    .map((indexed) => {
      const { passages } = indexed;
      const dense = cosine(vector, indexed.vector);
      const whole = match(terms, indexed.terms);
      if (!passages) return { indexed, dense, near: dense, bm25: whole.bm25, coverage: whole.coverage };
      const nearest = Math.max(...passages.vectors.map((one) => cosine(vector, one)));
      const best = bestOf(terms, passages.counted);
      return {
        indexed,
        dense,
        near: Math.max(dense, nearest),
        bm25: best ? Math.max(whole.bm25, match(terms, best).bm25) : whole.bm25,
        coverage: whole.coverage,
        passages: { count: passages.vectors.length, terms: best, cosine: nearest },
      };
    });
  const nearest = scored.toSorted((a, b) => b.near - a.near);
  const lexical = scored
    .filter(({ bm25 }) => bm25 > 0)
    .sort((a, b) => b.bm25 - a.bm25)
    .slice(0, minCandidates);
  const within = nearest.filter(({ indexed: { memory } }) => isWithin(timeOf(memory), times));
  const hits = new Set([
    ...nearest.slice(0, minCandidates),
    ...lexical,
    ...within.slice(0, candidatesInPeriods),
  ]);

  const matchSpeaker = speakerMatcher(query.query);
  const byDocument = query.gold_docs !== undefined;
  const gold = new Set(query.gold_docs ?? query.gold);
  const found = [...hits].map((hit) => {
    const { memory, terms: own, window, speaker } = hit.indexed;
    const { id, metadata, timestamp } = memory;
    const key = byDocument ? (metadata?.doc ?? id) : id;
    const found = evidence(terms, own, hit.dense, undefined, {
      window,
      passages: hit.passages,
      ...(speaker !== undefined && { speaker: matchSpeaker(speaker) }),
      ...(timestamp !== undefined && { dated: datedAs(timestamp, times) }),
    });
    return {
      ...found,
      memory: id,
      key,
      relevant: gold.has(key),
      coverage: hit.coverage,
      indexed: hit.indexed,
    };
  });
  const ms = performance.now() - started;
  const withOwn = found.map(({ indexed, ...one }) => ({
    ...one,
    ownLexical: evidence(terms, indexed.terms, undefined).lexical,
    textbook: textbookBm25(words, indexed.terms, statistics, tenant.meanLength),
  }));
  return { set, query, gold, found: withOwn, ms };
}

function bestOf(terms: WeightedTerms, { places, lengths }: CountedPassages): TermFrequencies | undefined {
  const best = bestPassage(
    terms,
    terms.terms.map((term) => places.get(term)),
    lengths,
  );
  if (!best) return undefined;
  const termFrequencies = new Map(terms.terms.map((term, at) => [term, best.frequencies[at]!]));
  return { termFrequencies, length: best.length };
}

function indexTenants(
  memories: readonly Memory[],
  vectors: readonly Float32Array[],
  passageVectors: readonly Float32Array[],
): Map<string, Tenant> {
  let taken = 0;
  const tenants = new Map<string, Tenant>();
  for (const [i, memory] of memories.entries()) {
    const vector = vectors[i];
    if (vector === undefined) throw new Error(`${memory.id} has no vector`);
    const name = memory.scope['tenant'] ?? '';
    const tenant = tenants.get(name) ?? {
      memories: [],
      documentFrequency: new Map<string, number>(),
      meanLength: 0,
    };
    tenants.set(name, tenant);
    const { counts, length } = termCounts(memory.text);
    const speaker =
      memory.scope['session'] === undefined ? undefined : speakerOf(memory.text, memory.metadata ?? {});
    const counted = countPassages(memory.text);
    const passages = counted && {
      counted,
      vectors: passageVectors.slice(taken, (taken += counted.lengths.length)),
    };
    tenant.memories.push({ memory, vector, terms: { termFrequencies: counts, length }, passages, speaker });
    for (const term of counts.keys()) {
      tenant.documentFrequency.set(term, (tenant.documentFrequency.get(term) ?? 0) + 1);
    }
  }
  for (const tenant of tenants.values()) {
    const total = tenant.memories.reduce((sum, { terms }) => sum + terms.length, 0);
    tenant.meanLength = total / tenant.memories.length;
    addWindows(tenant.memories);
  }
  return tenants;
}

function addWindows(memories: readonly Indexed[]): void {
  const sessions = new Map<string, Indexed[]>();
  for (const indexed of memories) {
    const { session, user = '' } = indexed.memory.scope;
    if (session === undefined) continue;
    const key = JSON.stringify([user, session]);
    const turns = sessions.get(key) ?? [];
    sessions.set(key, turns);
    turns.push(indexed);
  }
  for (const session of sessions.values()) {
    const turns = session.toSorted((a, b) => byTime(a.memory, b.memory));
    const terms = turns.map((turn) => turn.terms);
    for (const [i, turn] of turns.entries()) turn.window = windowAt(terms, i);
  }
}

function timeOf({ timestamp }: Memory): Date {
  return new Date(timestamp ?? NaN);
}

/** Memories of the same time stay in the order of the file, in which they would be stored. */
function byTime({ timestamp: a = '' }: Memory, { timestamp: b = '' }: Memory): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The evidence of a candidate without its context, or without a part of it. */
export function leaveOut(found: ScoredCandidate, left: readonly ContextPart[]): Evidence {
  const { cosine, overlap, speaker, dated } = found;
  const lexical = left.includes('window') ? found.ownLexical : found.lexical;
  return {
    overlap,
    ...(cosine !== undefined && { cosine }),
    ...(lexical !== undefined && { lexical }),
    ...(speaker !== undefined && !left.includes('speaker') && { speaker }),
    ...(dated !== undefined && !left.includes('dated') && { dated }),
  };
}

/** Higher is better; `undefined` leaves the candidate out. */
export type Score = (found: ScoredCandidate) => number | undefined;

export interface Ranked extends ScoredCandidate {
  readonly score: number;
}

/** Keys ordered by the best `score` of each, best first. Candidates with an undefined score are left out. */
export function rank(candidates: readonly ScoredCandidate[], score: Score): Ranked[] {
  const scored: Ranked[] = [];
  for (const found of candidates) {
    const value = score(found);
    if (value !== undefined) scored.push({ ...found, score: value });
  }
  const seen = new Set<string>();
  return scored.sort((a, b) => b.score - a.score).filter(({ key }) => !seen.has(key) && seen.add(key));
}
