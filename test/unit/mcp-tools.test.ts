import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ServerContext } from '@modelcontextprotocol/server';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { Problem } from '../../src/domain/problems.ts';
import { memorySchema } from '../../src/domain/memory/view.ts';
import { errorsByParameter, refusalText } from '../../src/mcp/refusal.ts';
import { readArguments } from '../../src/mcp/arguments.ts';
import { fitTokens } from '../../src/mcp/fit-tokens.ts';
import { withoutNulls } from '../../src/mcp/message.ts';
import { listedTools, withProgress } from '../../src/mcp/server.ts';
import { listed } from '../../src/mcp/shown-memory.ts';
import { tools } from '../../src/mcp/tools/index.ts';
import { memoryExample } from '../../src/api/memories/examples.ts';

const forMembers = listedTools({ isAgent: false });
const forAgents = listedTools({ isAgent: true });
const tokensOf = (tools: unknown) => countTokens(JSON.stringify({ tools }));

describe('the list of tools', () => {
  it('[A16] [J3] has snake_case names and parameters and schemas without references', () => {
    for (const { name, inputSchema } of forAgents) {
      expect(name).toMatch(/^memory_[a-z_]+$/);
      for (const parameter of Object.keys(inputSchema.properties ?? {}))
        expect(parameter).toMatch(/^[a-z_]+$/);
      expect(JSON.stringify(inputSchema)).not.toMatch(/\$ref|\$defs|maxLength|minItems|9007199254740991/);
    }
  });

  it('[A16] [J3] costs a model few tokens, and more does not creep in', () => {
    expect(tokensOf(forAgents)).toBeLessThanOrEqual(2_850);
    expect(tokensOf(listedTools({ set: 'core', isAgent: true }))).toBeLessThanOrEqual(1_500);
  });

  it('[A16] [J3] keeps what a model chooses by: enumerations, defaults and required parameters', () => {
    const search = forMembers.find(({ name }) => name === 'memory_search')!.inputSchema;
    expect(search).toMatchObject({
      required: ['query'],
      properties: {
        top_k: { type: 'integer', default: 10 },
        layers: { items: { enum: expect.arrayContaining(['user', 'team']) } },
      },
    });
  });

  it('[I1] [J3] shows user_id to those who may name a user', () => {
    for (const { inputSchema } of forAgents) expect(inputSchema.properties).toHaveProperty('user_id');
    for (const { inputSchema } of forMembers) expect(inputSchema.properties).not.toHaveProperty('user_id');
  });

  it('[A16] requires no more than seed tools do', () => {
    const required = Object.fromEntries(
      forMembers.map(({ name, inputSchema }) => [name, inputSchema.required]),
    );
    expect(required).toMatchObject({
      memory_search: ['query'],
      memory_build_context: ['query', 'token_budget'],
      memory_store: ['content'],
      memory_update: ['memory_id', 'updates'],
      memory_delete: ['memory_id'],
      memory_get_related: ['memory_id'],
      memory_multi_hop: ['query'],
      memory_validate_consistency: ['memory_ids'],
    });
    expect(required['memory_stats'] ?? []).toEqual([]);
  });
});

describe('arguments', () => {
  const read = (name: string, sent: unknown) =>
    readArguments(tools.find((tool) => tool.name === name)!.input, sent, { topK: 'use top_k' });
  const inputOf = (name: string, sent: unknown) => read(name, sent).input;

  it.each([
    ['JSON in a text for a list', 'memory_search', { layers: '["user"]' }, { layers: ['user'] }],
    ['one text for a list', 'memory_search', { layers: 'user' }, { layers: ['user'] }],
    ['null for what is left out', 'memory_search', { space_id: null, filters: null, layers: null }, {}],
    ['an empty text for what is left out', 'memory_search', { space_id: '', session_id: '' }, {}],
    ['digits for an integer', 'memory_search', { top_k: '3' }, { top_k: 3 }],
    [
      'a number in the text of an object',
      'memory_search',
      { filters: '{"max_tokens": "300", "layer": {"eq": "user"}}' },
      { filters: { max_tokens: 300, layer: { eq: 'user' } } },
    ],
    ['the spelling of the API', 'memory_search', { topK: 3 }, { top_k: 3 }],
  ])('[A16] [J3] takes as meant %s', (_, name, sent, meant) => {
    const plain = inputOf(name, { query: 'Where?' });
    expect(inputOf(name, { query: 'Where?', ...sent })).toEqual({ ...plain, ...meant });
  });

  it('[A16] [J3] takes JSON in a text for objects, and inside of them', () => {
    const stored = { content: '[1, 2]', tags: '["office"]', metadata: '{"floor": 2}' };
    expect(inputOf('memory_store', stored)).toMatchObject({
      content: '[1, 2]',
      tags: ['office'],
      metadata: { floor: 2 },
    });
    const update = { memory_id: 'm', updates: '{"tags": "[\\"a\\"]", "metadata": {"old": null}}' };
    expect(inputOf('memory_update', update)).toMatchObject({
      updates: { tags: ['a'], metadata: { old: null } },
    });
    expect(inputOf('memory_update', { memory_id: 'm', updates: {}, expected_revision: '3' })).toMatchObject({
      expected_revision: 3,
    });
    expect(inputOf('memory_delete', { memory_id: 'm', hard_delete: 'false' })).toMatchObject({
      hard_delete: false,
    });
    expect(inputOf('memory_validate_consistency', { memory_ids: '["a", "b"]' })).toMatchObject({
      memory_ids: ['a', 'b'],
    });
  });

  it('[A16] [J3] ignores unknown ones and says so, but not where something is wrong', () => {
    expect(read('memory_search', { query: 'Where?', wait: true, limit: 3 })).toMatchObject({
      input: { query: 'Where?', top_k: 10 },
      ignored: [expect.stringMatching(/^wait \(is not a known field/), 'limit (use top_k)'],
    });
    expect(() => read('memory_search', { question: 'Where?' })).toThrow(
      /query: is required.*question: use query/,
    );
    expect(() => read('memory_update', { memory_id: 'm', updates: { layer: 'team' } })).toThrow(
      /updates\.layer/,
    );
    expect(() => read('memory_search', { query: 'Where?', top_k: 'many' })).toThrow(/top_k/);
    expect(() => read('memory_search', 'Where?')).toThrow(/must be an object/);
  });

  it('[J3] may be null in a message, and params too', () => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
    expect(withoutNulls({ ...call, params: null })).toEqual(call);
    expect(withoutNulls([{ ...call, params: { name: 'memory_stats', arguments: null } }])).toEqual([
      { ...call, params: { name: 'memory_stats' } },
    ]);
    expect(withoutNulls(null)).toBeNull();
  });
});

it('[E8] [J3] an answer with a budget counts everything that is sent', () => {
  const lines = ['"Quoted" words,\tand more', 'x'.repeat(50), '', 'Note: the end'];
  for (let budget = 1; budget < 80; budget++) {
    const text = fitTokens(lines, budget, countTokens);
    const sent = countTokens(JSON.stringify({ content: [{ type: 'text', text }] }));
    expect(text === '' || sent <= budget, `${budget}: ${sent}`).toBe(true);
  }
  expect(fitTokens(lines, 200, countTokens)).toBe(lines.join('\n'));
});

describe('a refusal', () => {
  it('[J3] names parameters as the tool does', () => {
    const errors = ['topK', 'filter.metadata.n.is', 'expectedRevision', 'scope.team'].map((path) => ({
      path,
      message: 'is wrong',
    }));
    expect(errorsByParameter(errors, { filter: 'filters' }).map(({ path }) => path)).toEqual([
      'top_k',
      'filters.metadata.n.is',
      'expected_revision',
      'scope.team',
    ]);
  });

  it('[J3] says what is wrong and what to do, with the time to wait', () => {
    const busy = new Problem('unavailable', 'a server behind this one does not respond', { retryAfter: 2 });
    expect(refusalText(busy, 'r1').split('\n')).toEqual([
      'Refused (unavailable): The server cannot answer now.',
      'a server behind this one does not respond',
      'What to do: Call the tool again in a few seconds. Nothing that was acknowledged is lost.',
      'Wait 2 s before you try again.',
      'Request id: r1',
    ]);
  });
});

it('[A7] [J3] shows a long memory from the passage that matches', () => {
  const content = `${'a'.repeat(3_000)}${'b'.repeat(500)}${'c'.repeat(3_000)}`;
  const shown = listed(memorySchema.parse({ ...memoryExample, content }), 1_000, 3_000);
  expect(shown.content).toBe(`${'b'.repeat(500)}${'c'.repeat(500)}`);
  expect(shown.cut).toEqual({
    start: 3_000,
    shown: 1_000,
    length: 6_500,
    rest: `call memory_get with memory_id ${memoryExample.id} and start 0 or 4000`,
  });
});

describe('progress', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const contextOf = (progressToken?: string) => {
    const notify = vi.fn(async () => undefined);
    const mcpReq = { notify, _meta: progressToken === undefined ? {} : { progressToken } };
    return { notify, context: { mcpReq } as unknown as ServerContext };
  };

  it('[J3] is told every second of a long call to a client that asked for it, and not afterwards', async () => {
    const { notify, context } = contextOf('p1');
    const running = withProgress(context, () => new Promise((resolve) => setTimeout(resolve, 3_500)));
    await vi.advanceTimersByTimeAsync(10_000);
    await running;
    expect(notify).toHaveBeenCalledTimes(3);
    expect(notify).toHaveBeenLastCalledWith({
      method: 'notifications/progress',
      params: { progressToken: 'p1', progress: 3, message: 'running for 3 s' },
    });
  });

  it('[J3] is not told to others', async () => {
    const { notify, context } = contextOf();
    const running = withProgress(context, () => new Promise((resolve) => setTimeout(resolve, 3_500)));
    await vi.advanceTimersByTimeAsync(10_000);
    await running;
    expect(notify).not.toHaveBeenCalled();
  });
});
