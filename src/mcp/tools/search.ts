import { z } from 'zod';
import { multiHop } from '../../api/search/multi-hop.ts';
import { search } from '../../api/search/search.ts';
import { searchResultSchema, warningsSchema } from '../../api/search/fields.ts';
import type { JsonObject } from '../../domain/json.ts';
import { identifier } from '../../domain/layers.ts';
import type { MemoryView } from '../../domain/memory/view.ts';
import { shares } from '../cut.ts';
import { inWords, listed, listedMemory, maxListed } from '../shown-memory.ts';
import { tool } from './tool.ts';

const { query, topK, layers, sessionId } = search.input.shape;

export const spaceIdField = identifier.optional().meta({
  description: 'Only memories of this space, a named area such as a project or a subject',
});

export const filtersField = z
  .looseObject({
    max_tokens: z.int().min(1).max(10_000_000).optional().meta({
      description:
        'Maximum tokens of all contents together; long ones are cut, and the last results are left out',
    }),
  })
  .optional()
  .meta({
    description:
      'Conditions such as {"metadata.owner": {"eq": "release team"}, "createdAt": {"gte": "2026-01-01T00:00:00Z"}}. Operators: eq, ne, in, gt, gte, lt, lte, contains; combine with {"and": [...]}, {"or": [...]}, {"not": {...}}. Fields: metadata.<path>, tags, layer, createdAt, updatedAt, occurredAt, createdBy, externalId, content, importance; an error lists all fields',
  });

const resultFields = {
  // The tools cut contents themselves, and models take results in the order given.
  ...searchResultSchema.omit({ memory: true, truncated: true, excerpt: true, moved: true }).shape,
  memory: listedMemory,
};

export const answerFields = {
  results: z.array(z.object(resultFields)),
  leftOut: z.int().optional().meta({ description: 'Number of results that did not fit into max_tokens' }),
  searchId: z.string().meta({ description: 'Pass it as search_id to memory_feedback' }),
  warnings: warningsSchema,
};

interface Found<Result> {
  readonly results: readonly Result[];
  readonly searchId: string;
  readonly warnings: readonly { readonly code: string; readonly detail: string }[];
}

type Result = Omit<z.infer<typeof searchResultSchema>, 'memory'> & { readonly memory: MemoryView };

export const memorySearch = tool({
  name: 'memory_search',
  title: 'Search memories',
  description:
    'Find what is remembered about a question. Call it before you answer anything that may depend on earlier conversations, preferences, decisions or facts of the user or the team. Ask in a full sentence, as you would ask a person. It returns only memories that are likely to be relevant, best first, and nothing if nothing is known. Each result has an id, a score from 0 to 1, its layer and dates. For a chain of facts ("who leads the team that owns X") use memory_multi_hop.',
  input: z.strictObject({
    query: query.meta({ description: 'The question, in natural language' }),
    space_id: spaceIdField,
    filters: filtersField,
    top_k: topK.meta({ description: 'Maximum number of results, 1 to 1000' }),
    layers: layers.meta({
      description: 'Only memories of these layers. Default: all that the caller can see',
    }),
    session_id: sessionId.meta({ description: 'Id of the current conversation' }),
  }),
  output: z.object(answerFields),
  effect: 'reads',
  parameters: { filter: 'filters', spaces: 'space_id' },
  async call({ query, top_k: topK, layers, session_id: sessionId, ...sent }, act) {
    const { maxTokens, ...restrictions } = restrictionsOf(sent);
    const found = await act(search, { query, topK, layers, sessionId, content: 'whole', ...restrictions });
    return show(found, maxTokens);
  },
});

/** What a search is restricted to, and the maximum number of tokens of its text. */
export function restrictionsOf({
  space_id: space,
  filters = {},
}: {
  readonly space_id?: string | undefined;
  readonly filters?: z.infer<typeof filtersField>;
}) {
  const { max_tokens: maxTokens, ...filter } = filters;
  return {
    maxTokens,
    spaces: space === undefined ? undefined : [space],
    filter: Object.keys(filter).length > 0 ? (filter as JsonObject) : undefined,
  };
}

export const memoryMultiHop = tool({
  name: 'memory_multi_hop',
  title: 'Search along connections',
  description:
    'Answer a question that needs several facts in a row: it searches, then follows links and names from the results to further memories. Use it if the answer is about something that the question does not name. It costs more than memory_search, which is enough for plain questions.',
  input: z.strictObject({
    query: query.meta({ description: 'The question, in natural language' }),
    max_hops: multiHop.input.shape.depth.meta({
      description: 'Maximum number of steps from the first results, 1 to 3',
    }),
    space_id: spaceIdField,
  }),
  output: z.object({ ...answerFields, paths: multiHop.output.shape.paths }),
  effect: 'reads',
  parameters: { depth: 'max_hops', spaces: 'space_id' },
  async call({ query, max_hops: depth, space_id: space }, act) {
    const found = await act(multiHop, {
      query,
      depth,
      content: 'whole',
      spaces: space === undefined ? undefined : [space],
    });
    const { fields, text } = show(found);
    return { fields: { ...fields, paths: found.paths }, text };
  },
});

export function show({ results, searchId, warnings }: Found<Result>, maxTokens?: number) {
  const lengths = results.map(({ memory }) => memory.content.length);
  const most = shares(lengths, { mostOfEach: maxListed, maxTokens });
  const shown = results.slice(0, most.length).map(({ moved: _, ...result }, index) => ({
    ...result,
    memory: listed(result.memory, most[index], result.passage?.start),
  }));
  const leftOut = results.length - shown.length;
  const fields = { results: shown, ...(leftOut > 0 && { leftOut }), searchId, warnings: [...warnings] };
  const text = [
    shown.length === 0
      ? 'Nothing that is likely to be relevant is remembered.'
      : `${shown.length} ${shown.length === 1 ? 'memory' : 'memories'}, the best first (search_id ${searchId}).`,
    ...shown.map(({ memory, score, rank, supersededBy }) => {
      const newer = supersededBy === undefined ? '' : `superseded by ${supersededBy}: `;
      return inWords(memory, `${rank}. score ${score.toFixed(2)}, ${newer}`);
    }),
    ...(leftOut > 0 ? [`${leftOut} more did not fit into max_tokens.`] : []),
    ...warnings.map(({ detail }) => `Note: ${detail}`),
  ].join('\n\n');
  return { fields, text };
}
