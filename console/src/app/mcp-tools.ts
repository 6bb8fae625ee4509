import type { Context, ListMemoriesQuery, Search } from '@stratalog/client';

interface ToolCall {
  readonly name: string;
  readonly arguments: object;
}

/** MCP tools that do the same as a method of the client, by its name. Undefined for a call with options that the tool lacks. */
export const mcpTools: Readonly<Record<string, ((...args: never[]) => ToolCall | undefined) | undefined>> = {
  search,
  explainSearch: search,
  context: ({ query, tokenBudget, spaces, layers, sessionId, profile, ...others }: Context) =>
    toolCall('memory_build_context', others, {
      query,
      token_budget: tokenBudget,
      space_ids: spaces,
      layers,
      session_id: sessionId,
      profile,
    }),
  'memories.get': (
    id: string,
    { includeQuarantined: _, ...others }: object & { includeQuarantined?: string } = {},
  ) => toolCall('memory_get', others, { memory_id: id }),
  'memories.list': ({ limit: _, space = [], state = 'active', order, ...others }: ListMemoriesQuery = {}) =>
    state !== 'archived' && order !== 'oldest' && space.length < 2
      ? toolCall('memory_get', others, {
          space_id: space[0],
          deleted: state === 'deleted' ? true : undefined,
        })
      : undefined,
};

function search({ query, spaces = [], filter, topK, layers, sessionId, content: _, ...others }: Search) {
  const named = typeof spaces === 'string' ? [spaces] : spaces;
  if (named.length > 1) return undefined;
  const parameters = {
    query,
    space_id: named[0],
    filters: filter,
    top_k: topK,
    layers,
    session_id: sessionId,
  };
  return toolCall('memory_search', others, parameters);
}

/** Undefined if one of `others`, which the tool has no parameter for, is given. */
function toolCall(name: string, others: object, parameters: object): ToolCall | undefined {
  return Object.values(others).some((value) => value !== undefined)
    ? undefined
    : { name, arguments: parameters };
}
