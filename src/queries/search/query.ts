import type { TenantContext } from '../../domain/access/context.ts';
import { visible } from '../../domain/access/visibility.ts';
import type { Filter } from '../../domain/filter.ts';
import { askedTimes, numbersOfTimes, type AskedTimes } from '../../domain/ranking/dates.ts';
import type { Layer, Scope } from '../../domain/layers.ts';
import type { SearchTexts } from '../../domain/reasoning/search-texts.ts';
import { queryTerms } from '../../domain/text/tokens.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SearchExplanation } from './explanation.ts';
import type { Restrictions } from './sources/candidate-source.ts';

export interface SearchRequest {
  readonly query: string;
  /** Compared instead of `query`; quotations, persons and times are still taken from `query`. */
  readonly texts?: SearchTexts | undefined;
  readonly layers?: readonly Layer[] | undefined;
  readonly scope?: Scope | undefined;
  readonly spaces?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly filter?: Filter | undefined;
  readonly topK: number;
  /** Lowest relevance of a result. */
  readonly threshold: number;
  /** A position: memories as they were when the log had reached it. */
  readonly asOf?: number | undefined;
  /** The time of asking. */
  readonly now?: Date | undefined;
  /** Offset of the asker's clock from UTC, which decides when a day begins, in minutes; default: 0. */
  readonly utcOffset?: number | undefined;
  readonly minPosition?: number | undefined;
  readonly waitMs?: number | undefined;
  /** Collects how the search arrives at its answer; undefined if nobody asks. */
  readonly explanation?: SearchExplanation | undefined;
}

/** Minimum number that each source is asked for, even if twice `topK` is less: the fusion needs the best of both signals. */
export const minCandidates = 50;

/** Maximum number that a source is asked for: as many as the largest answer has. */
export const maxCandidates = 1_000;

/** A search request, prepared. */
export interface Query {
  readonly restrictions: Restrictions;
  /** Whether the caller may see nothing at all. */
  readonly seesNothing: boolean;
  /** The text to embed; undefined if only words are compared. */
  readonly denseText: string | undefined;
  /** The text that words are taken from. */
  readonly lexicalText: string;
  /** The words of `lexicalText`; none if only meaning is compared. */
  readonly terms: readonly string[];
  /** How many candidates are wanted of each source. */
  readonly limit: number;
  /** Times that the question asks about. */
  readonly times: AskedTimes;
}

/** The time that "last week" is relative to. For a search as of a position there is none, unless the request names it. */
export function timeOfAsking(
  { now, asOf }: Pick<SearchRequest, 'now' | 'asOf'>,
  clock: Clock,
): Date | undefined {
  return now ?? (asOf === undefined ? clock.now() : undefined);
}

export function queryOf(
  caller: TenantContext,
  { query, texts, layers, scope, spaces, tags, filter, topK, now, utcOffset }: SearchRequest,
): Query {
  const visibility = visible(caller);
  const { dense, lexical = '' } = texts ?? { dense: query, lexical: query };
  const times = askedTimes(query, now, utcOffset);
  return {
    restrictions: {
      region: { tenant: caller.tenant, visibility, ...(layers && { layers }), ...(scope && { scope }) },
      spaces,
      tags,
      filter,
      asker: caller.user,
      visibility,
    },
    seesNothing: visibility !== 'all' && visibility.length === 0,
    denseText: dense,
    ...wordsOf(lexical, lexical === query ? times : undefined),
    limit: Math.max(minCandidates, Math.min(2 * topK, maxCandidates)),
    times,
  };
}

/** The words that a text is searched for by, without numbers that name a time. */
export function wordsOf(text: string, times?: AskedTimes): Pick<Query, 'lexicalText' | 'terms'> {
  const numbers = times && numbersOfTimes(text, times);
  const terms = queryTerms(text).filter((term) => !numbers?.has(term));
  return { lexicalText: text, terms };
}
