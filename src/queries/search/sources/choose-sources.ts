import type { Filter } from '../../../domain/filter.ts';
import { exactScanLimit } from '../../../domain/retrieval/exact-scan-limit.ts';
import type { WordSet } from '../../../ports/word-index.ts';
import { Bm25Source } from './bm25-index.ts';
import type { CandidateQuery, CandidateSource } from './candidate-source.ts';
import type { SourceContext } from './context.ts';
import { ExactVectorSource } from './exact-vectors.ts';
import { ExactWordSource } from './exact-words.ts';
import { HnswSource } from './hnsw-index.ts';
import { InPeriodsSource } from './in-periods.ts';
import { LexicalIndexSource } from './lexical-index.ts';
import { idsInPrefilterSet, type PrefilterSet } from './prefilter-set.ts';
import { PassageVectorSource } from './passage-vectors.ts';
import { isWide, type ResidentBreadth } from './resident-breadth.ts';
import { ResidentVectorSource } from './resident-vectors.ts';
import { ResidentWordSource } from './resident-words.ts';

/** Says where the words of a query are searched. It is decided before the transaction as far as possible. */
export type WordLookup =
  | { readonly in: 'database' | 'nowhere' | 'unavailable' }
  | { readonly in: 'ram'; readonly set: WordSet }
  /** Ids of what a lexical index found, best first. */
  | { readonly in: 'index'; readonly ids: readonly string[] };

/** What the choice of sources depends on. */
export interface SourceChoice {
  /** Number of the tenant's documents. */
  readonly documents: number;
  readonly lookup: WordLookup;
  /** The memories that the restrictions allow, if those are few. */
  readonly set?: PrefilterSet | undefined;
  /** The periods that the question names, as a filter, and the few memories in them. */
  readonly inPeriods?: { readonly filter: Filter; readonly set?: PrefilterSet | undefined } | undefined;
}

/**
 * The sources of one search: groups that are searched one after the other, the sources of a group at the same time. The first
 * group finds candidates anywhere, the second one within the periods that a question names.
 */
export function chooseSources(
  context: SourceContext,
  query: CandidateQuery,
  choice: SourceChoice,
): readonly (readonly CandidateSource[])[] {
  const { documents, set, inPeriods } = choice;
  const wide = context.vectors && set && isWide(set, documents);
  const breadth = breadthOf(context, query, wide ? { share: set.expected / documents } : { set });
  const anywhere = present([
    denseSource(context, query, documents, breadth),
    passageSource(context, query, documents, breadth),
    lexicalSource(context, query, choice.lookup, breadth),
  ]);
  if (!inPeriods || (documents > exactScanLimit && !inPeriods.set)) return [anywhere];
  // So few memories are in the periods that their vectors are compared in the database. Words are searched in addition if that
  // needs no index of the database or of a server, and instead if meaning cannot be compared.
  const apart: SourceContext = { ...context, vectors: undefined, passages: undefined };
  const within = breadthOf(apart, query, { set: inPeriods.set });
  const sources = present([
    denseSource(apart, query, documents, within),
    passageSource(apart, query, documents, within),
    context.words || !query.dense ? lexicalSource(apart, query, choice.lookup, within) : undefined,
  ]);
  return [anywhere, sources.map((source) => new InPeriodsSource(source, inPeriods.filter))];
}

/** Which memories the sources of a group look among. */
interface Breadth extends ResidentBreadth {
  readonly set?: PrefilterSet | undefined;
}

/** The ids of a set are read once for all sources, and only if one of them needs them. */
function breadthOf(
  { tx, view }: SourceContext,
  { region }: CandidateQuery,
  { set, share }: { readonly set?: PrefilterSet | undefined; readonly share?: number | undefined },
): Breadth {
  if (!set) return { share };
  let ids: Promise<readonly string[]> | undefined;
  return { set, among: () => (ids ??= idsInPrefilterSet(tx, view, region.tenant, set)) };
}

function denseSource(
  context: SourceContext,
  { dense }: CandidateQuery,
  documents: number,
  breadth: Breadth,
): CandidateSource | undefined {
  if (!dense) return undefined;
  const { set } = breadth;
  const inDatabase =
    set || documents <= exactScanLimit ? new ExactVectorSource(context, set) : new HnswSource(context);
  const { vectors } = context;
  return vectors ? new ResidentVectorSource(context, vectors, breadth, inDatabase) : inDatabase;
}

/** Finds passages in the same way as memories, in a table of their own. */
function passageSource(
  context: SourceContext,
  query: CandidateQuery,
  documents: number,
  breadth: Breadth,
): CandidateSource | undefined {
  if (!query.dense?.passages) return undefined;
  const source = denseSource({ ...context, vectors: context.passages }, query, documents, breadth);
  return source && new PassageVectorSource(source);
}

function lexicalSource(
  context: SourceContext,
  { weighted }: CandidateQuery,
  lookup: WordLookup,
  breadth: Breadth,
): CandidateSource | undefined {
  if (weighted.terms.length === 0) return undefined;
  const { words } = context;
  const { set } = breadth;
  if (words) return new ResidentWordSource(context, words, breadth);
  if (set?.hasFewTexts) return new ExactWordSource(context, set);
  if (lookup.in === 'database') return new Bm25Source(context, set);
  return lookup.in === 'index' ? new LexicalIndexSource(context, lookup.ids) : undefined;
}

function present<T>(items: readonly (T | undefined)[]): readonly T[] {
  return items.filter((item) => item !== undefined);
}
