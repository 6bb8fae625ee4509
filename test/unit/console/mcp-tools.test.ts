import { expect, it } from 'vitest';
import { mcpTools } from '../../../console/src/app/mcp-tools.ts';

const toolFor = (name: string, ...args: unknown[]) => mcpTools[name]?.(...(args as never[]));

it.each(['search', 'explainSearch'])('[J5] offers memory_search for %s', (name) => {
  const request = { query: 'tea', topK: 5, spaces: ['notes'], layers: ['user'], filter: { tags: 'x' } };
  expect(toolFor(name, request)).toEqual({
    name: 'memory_search',
    arguments: { query: 'tea', top_k: 5, space_id: 'notes', layers: ['user'], filters: { tags: 'x' } },
  });
});

it('[J5] offers memory_get for a memory and for a list by space or of deleted memories', () => {
  expect(toolFor('memories.get', '1', { includeQuarantined: 'true' })).toEqual({
    name: 'memory_get',
    arguments: { memory_id: '1' },
  });
  expect(toolFor('memories.list', { limit: 100 })).toEqual({ name: 'memory_get', arguments: {} });
  expect(toolFor('memories.list', { limit: 100, space: ['notes'], state: 'deleted' })).toEqual({
    name: 'memory_get',
    arguments: { space_id: 'notes', deleted: true },
  });
});

it.each([
  ['search', { query: 'tea', asOf: '2026-01-01T00:00:00Z' }],
  ['search', { query: 'tea', spaces: ['a', 'b'] }],
  ['memories.get', '1', { asOf: '2026-01-01T00:00:00Z' }],
  ['memories.list', { tag: ['x'] }],
  ['memories.list', { state: 'archived' }],
  ['memories.list', { order: 'oldest' }],
])('[J5] offers no tool for %s with options that it lacks', (name, ...args) => {
  expect(toolFor(name, ...args)).toBeUndefined();
});
