import type { TenantContext } from '../../domain/access/context.ts';
import type { Region } from '../../domain/access/region.ts';
import { visible } from '../../domain/access/visibility.ts';
import type { Filter } from '../../domain/filter.ts';
import { askedTimes, numbersOfTimes, type AskedTimes } from '../../domain/ranking/dates.ts';
import type { Layer, Scope } from '../../domain/layers.ts';
import type { SearchTexts } from '../../domain/reasoning/search-texts.ts';
import { termCounts } from '../../domain/text/tokens.ts';

export interface SearchRequest {
  readonly query: string;
  /** What is compared instead of it; quotations, persons and times are read from `query` all the same. */
  readonly texts?: SearchTexts | undefined;
  readonly layers?: readonly Layer[] | undefined;
  readonly scope?: Scope | undefined;
  readonly spaces?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly filter?: Filter | undefined;
  readonly topK: number;
  readonly threshold: number;
  /** Of a search within another one: what scores less will be cut from the answer in the end. */
  readonly passing?: number | undefined;
  /** Of a search within another one: near-duplicates are wanted too. */
  readonly keepsCopies?: boolean | undefined;
  readonly order: 'precedence' | 'relevance';
  /** A position: memories as they were when the log had reached it. */
  readonly asOf?: number | undefined;
  readonly sessionId?: string | undefined;
  readonly minPosition?: number | undefined;
  readonly waitMs?: number | undefined;
}

/** Each engine finds at least so many, or twice what is asked for: the fusion needs both signals' best. */
export const leastPerEngine = 50;

/** The most that an engine is asked for: as many as the largest answer has. */
export const deepest = 1_000;

/** What is looked for, and where. */
export interface Query {
  readonly region: Region;
  readonly seesNothing: boolean;
  /** What is embedded. */
  readonly denseText: string;
  /** What its words are taken from. */
  readonly queryText: string;
  /** Those words; none where meaning alone is compared. */
  readonly terms: readonly string[];
  readonly perEngine: number;
  /** Which times are asked about. */
  readonly times: AskedTimes;
}

/** `now`: what "last week" is counted from; a question as of another time has no such present. */
export function queryOf(
  caller: TenantContext,
  { query, texts, layers, scope, topK, asOf }: SearchRequest,
  now: Date,
): Query {
  const visibility = visible(caller);
  const { dense, lexical = '' } = texts ?? { dense: query, lexical: query };
  const times = askedTimes(query, asOf === undefined ? now : undefined);
  return {
    region: { tenant: caller.tenant, visibility, ...(layers && { layers }), ...(scope && { scope }) },
    seesNothing: visibility !== 'all' && visibility.length === 0,
    denseText: dense,
    ...wordsOf(lexical, lexical === query ? times : undefined),
    perEngine: Math.max(leastPerEngine, Math.min(2 * topK, deepest)),
    times,
  };
}

/** The words that a text is looked for by, but for numbers that tell a time. */
export function wordsOf(text: string, times?: AskedTimes): Pick<Query, 'queryText' | 'terms'> {
  const numbers = times && numbersOfTimes(text, times);
  const terms = [...termCounts(text).counts.keys()].filter((term) => !numbers?.has(term));
  return { queryText: text, terms };
}
