import { z } from 'zod';
import type { TenantContext } from '../../domain/access/context.ts';
import { parseFilter, type Filter } from '../../domain/filter.ts';
import type { FieldHints } from '../../domain/input/parse-input.ts';
import { isBlank, textError, type JsonObject } from '../../domain/json.ts';
import { identifier, layerSchema, scopeSchema, type Scope } from '../../domain/layers.ts';
import { memorySchema } from '../../domain/memory/view.ts';
import { surroundings } from '../../domain/text/surroundings.ts';
import { movedReasons } from '../../domain/ranking/precedence-order.ts';
import { invalid } from '../../domain/problems.ts';
import { representationKinds, zonedTimestamp } from '../../domain/memory/content.ts';
import { textAround } from '../../domain/memory/searched-text.ts';
import { offsetOf } from '../../domain/wall-clock.ts';
import type { SearchResult } from '../../queries/search/answer.ts';
import { filterField } from '../fields.ts';
import { searchedSpaces } from './chosen-spaces.ts';
import { singularFields } from '../filter-names.ts';

/** What is shown of the contents of results. */
const contents = ['auto', 'whole', 'passage'] as const;
/** A content of at most this many UTF-16 units is shown whole unless the request says otherwise. */
const maxWhole = 4_000;

const someOf = <Item extends z.ZodType>(item: Item) =>
  z.array(item).min(1, 'must name at least one, or be left out').max(100);

/** A question in natural language. */
export const queryText = z
  .string()
  .max(20_000)
  .superRefine((query, context) => {
    const fault = isBlank(query) ? 'must not be empty or only white space' : textError(query);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
  });

/** Input of every kind of search: the question, and where to search. */
export const searchFields = {
  query: queryText,
  layers: someOf(layerSchema).optional(),
  scope: scopeSchema.extend({ company: identifier.optional() }).optional(),
  spaces: searchedSpaces,
  filter: filterField,
  tags: someOf(identifier).optional(),
  topK: z.int().min(1).max(1_000).default(10),
  content: z
    .enum(contents)
    .default('auto')
    .meta({
      description: `Content of each result. \`auto\`: the complete text up to ${maxWhole.toLocaleString('en')} UTF-16 units; of a longer one the passage that matches best, with what is around it. \`whole\`: the complete text. \`passage\`: only the passage that matches best, of a long memory or of a representation`,
    }),
  sessionId: identifier.optional(),
  now: zonedTimestamp.optional().meta({
    description:
      'Time of the question, which words such as "last week" are relative to; RFC 3339. Its offset decides when a day begins. Default: the clock of the server, in UTC',
  }),
  ...singularFields,
};

/**
 * Work of a search in units of a plain one, by what it asks for: results are read, compared and shown one by one, the words of the question
 * are looked up one by one, a search as of the past reads every version without an index, and spaces are chosen by a search before it.
 */
export function searchCost({
  query,
  topK = 0,
  asOf,
  spaces,
}: {
  readonly query: string;
  readonly topK?: number | undefined;
  readonly asOf?: string | undefined;
  readonly spaces?: 'auto' | readonly string[] | undefined;
}): number {
  return 1 + (spaces === 'auto' ? 1 : 0) + topK / 150 + query.length / 4_000 + (asOf === undefined ? 0 : 3);
}

/** Hints for searches whose parts may be searched by a strategy. */
export const searchFieldHints: FieldHints = {
  strategy:
    'cannot be sent: POST /v1/reasoning/search chooses it by experience, and `reasoning.strategy` of PATCH /v1/admin/routing for all questions of the tenant',
};

/** The time of asking and its offset, as a search takes them. */
export function timeOfAsking(now: string | undefined): { readonly now?: Date; readonly utcOffset?: number } {
  return now === undefined ? {} : { now: new Date(now), utcOffset: offsetOf(now) };
}

const placeSchema = z.object({
  start: z.int(),
  end: z.int(),
  representation: z.enum(representationKinds).optional().meta({
    description: 'The representation that the offsets are in. Absent if they are in the content',
  }),
});

export const searchResultSchema = z
  .object({
    memory: memorySchema,
    score: z
      .number()
      .meta({ description: 'Strength of the evidence, 0 to 1; 0.7 is the lowest worth showing' }),
    relevance: z.number().meta({ description: 'Probability that the memory is relevant, 0 to 1' }),
    rank: z.int(),
    passage: placeSchema.optional().meta({
      description:
        'Best matching passage of a long memory, or of a representation that matches better than the content: offsets in that text in UTF-16 units; `end` is exclusive. Absent if a short content matches best',
    }),
    truncated: z.literal(true).optional().meta({
      description: 'Present if `memory.content` is only a part of the memory',
    }),
    excerpt: placeSchema.optional().meta({
      description:
        'The part that `memory.content` shows, if it is truncated: of the content, or of the representation that matches',
    }),
    moved: z.enum(movedReasons).optional().meta({
      description: 'Why it is placed ahead of a result with a higher score',
    }),
    supersededBy: z.string().optional().meta({
      description: 'Id of the newest memory that supersedes this one by links and that the caller can see',
    }),
  })
  .meta({ id: 'SearchResult' });

type Excerpt = NonNullable<SearchResult['passage']>;

/** The results with the content that the request asks for. */
export function withContent<Result extends Pick<SearchResult, 'memory' | 'passage'>>(
  results: readonly Result[],
  content: (typeof contents)[number],
): readonly (Result & { readonly truncated?: true; readonly excerpt?: Excerpt })[] {
  if (content === 'whole') return results;
  return results.map((result) => {
    const { memory, passage } = result;
    if (content === 'passage' ? !passage : memory.content.length <= maxWhole) return result;
    const matched = passage ?? { start: 0, end: 0 };
    const text = textAround(memory, matched);
    const { start, end } = content === 'passage' ? matched : surroundings(text, matched, maxWhole);
    return {
      ...result,
      truncated: true,
      excerpt: { ...matched, start, end },
      memory: { ...memory, content: text.slice(start, end) },
    };
  });
}

export const warningsSchema = z.array(z.object({ code: z.string(), detail: z.string() }));

/** Scope and filter of a search. Throws `validation-failed` for the scope of another tenant. */
export function searchRegion(
  caller: TenantContext,
  {
    scope = {},
    filter,
  }: { readonly scope?: ScopeInput | undefined; readonly filter?: JsonObject | undefined },
  { isAsOf }: { readonly isAsOf: boolean },
): { scope: Scope; filter?: Filter } {
  const { company, ...identifiers } = scope;
  if (company !== undefined && company !== caller.tenant)
    throw invalid('scope.company', 'must be the tenant of the credential, or left out');
  return { scope: identifiers, ...(filter && { filter: parseFilter(filter, { isAsOf }) }) };
}

type ScopeInput = Scope & { readonly company?: string | undefined };
