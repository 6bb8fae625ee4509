import type { Context, Search } from '@stratalog/client';

interface ToolCall {
  readonly name: string;
  readonly arguments: object;
}

/** MCP tools that do the same as a method of the client, by its name. */
export const mcpTools: Readonly<Record<string, ((...args: never[]) => ToolCall) | undefined>> = {
  search: ({ query, topK, layers, filter }: Search) => ({
    name: 'memory_search',
    arguments: { query, top_k: topK, layers, filters: filter },
  }),
  context: ({ query, tokenBudget, layers }: Context) => ({
    name: 'memory_build_context',
    arguments: { query, token_budget: tokenBudget, layers },
  }),
  'memories.get': (id: string) => ({ name: 'memory_get', arguments: { memory_id: id } }),
  'memories.list': () => ({ name: 'memory_get', arguments: {} }),
};
