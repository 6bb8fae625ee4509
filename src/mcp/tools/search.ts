import { z } from 'zod';
import { multiHop } from '../../api/search/multi-hop.ts';
import { search } from '../../api/search/search.ts';
import type { searchResultSchema } from '../../api/search/fields.ts';
import type { JsonObject } from '../../domain/json.ts';
import { identifier } from '../../domain/layers.ts';
import { textAround } from '../../domain/memory/searched-text.ts';
import type { MemoryView } from '../../domain/memory/view.ts';
import { truncate } from '../../domain/text/truncate.ts';
import { shares } from '../cut.ts';
import { inWords, listed, maxListed } from '../shown-memory.ts';
import { tool } from './tool.ts';

const { query, topK, layers, sessionId } = search.input.shape;

export const queryField = query.meta({ description: 'A full sentence' });

export const spaceIdField = identifier.optional().meta({ description: 'Only this space' });

export const layersField = layers.meta({ description: '' });

export const sessionIdField = sessionId.meta({ description: '' });

export const filtersField = z
  .looseObject({
    max_tokens: z.int().min(1).max(10_000_000).optional().meta({
      description: 'Most tokens of all contents',
    }),
  })
  .optional()
  .meta({
    description:
      'Such as {"metadata.owner": {"eq": "Ann"}}. Operators: eq, ne, in, gt, gte, lt, lte, contains, and, or, not. Fields: metadata.<path>, tags, createdAt, occurredAt, createdBy, importance',
  });

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
    'Find what is remembered about a question. Call it before you answer what may depend on earlier conversations, preferences, decisions or facts of the user or team. Returns what is likely relevant, best first; nothing if nothing is known.',
  input: z.strictObject({
    query: queryField,
    space_id: spaceIdField.meta({ description: 'Space or auto' }),
    filters: filtersField,
    top_k: topK.meta({ description: '' }),
    layers: layersField,
    session_id: sessionIdField,
  }),
  effect: 'reads',
  isCore: true,
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
    spaces: searchedIn(space),
    filter: Object.keys(filter).length > 0 ? (filter as JsonObject) : undefined,
  };
}

function searchedIn(space: string | undefined): 'auto' | string[] | undefined {
  if (space === undefined) return undefined;
  return space === 'auto' ? 'auto' : [space];
}

export const memoryMultiHop = tool({
  name: 'memory_multi_hop',
  title: 'Search along connections',
  description:
    'Answer a question that needs several facts in a row ("who leads the team that owns X"): searches, then follows links and names from the results. Costs more than memory_search.',
  input: z.strictObject({
    query: queryField,
    max_hops: multiHop.input.shape.depth.meta({ description: 'Most steps from the first results, 1 to 3' }),
    space_id: spaceIdField,
  }),
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
  const matches = results.map(matchedRepresentation);
  const lengths = results.map(({ memory }, index) => memory.content.length + matches[index]!.length);
  const most = shares(lengths, { mostOfEach: maxListed, maxTokens });
  // The tools cut contents themselves, and models take results in the order given.
  const shown = results.slice(0, most.length).map(({ moved: _, ...result }, index) => {
    const matched = truncate(matches[index]!, most[index]!);
    const start = matched === '' ? result.passage?.start : 0;
    return {
      ...result,
      memory: listed(result.memory, Math.max(1, most[index]! - matched.length), start),
      ...(matched !== '' && { matched }),
    };
  });
  const leftOut = results.length - shown.length;
  const fields = { results: shown, ...(leftOut > 0 && { leftOut }), searchId, warnings: [...warnings] };
  const text = [
    shown.length === 0
      ? 'Nothing that is likely to be relevant is remembered.'
      : `${shown.length} ${shown.length === 1 ? 'memory' : 'memories'}, the best first (search_id ${searchId}).`,
    ...shown.map(({ memory, score, rank, supersededBy, passage, matched }) => {
      const newer = supersededBy === undefined ? '' : `superseded by ${supersededBy}: `;
      const found = matched === undefined ? '' : `\nIts ${passage?.representation} matches: ${matched}`;
      return inWords(memory, `${rank}. score ${score.toFixed(2)}, ${newer}`) + found;
    }),
    ...(leftOut > 0 ? [`${leftOut} more did not fit into max_tokens.`] : []),
    ...warnings.map(({ detail }) => `Note: ${detail}`),
  ].join('\n\n');
  return { fields, text };
}

/** The passage of a representation that matches better than the content; empty if none does. */
function matchedRepresentation({ memory, passage }: Result): string {
  if (passage?.representation === undefined) return '';
  return textAround(memory, passage).slice(passage.start, passage.end);
}
