import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { Problem } from '../../src/domain/problems.ts';
import { memorySchema } from '../../src/domain/memory/view.ts';
import { errorsByParameter, refusalText } from '../../src/mcp/refusal.ts';
import { jsonSchemaOf } from '../../src/mcp/json-schema.ts';
import { listedTools, withProgress } from '../../src/mcp/server.ts';
import { listed } from '../../src/mcp/shown-memory.ts';
import { memoryExample } from '../../src/api/memories/examples.ts';

describe('the list of tools', () => {
  it('[A16] [J3] has snake_case names and parameters and schemas without references', () => {
    for (const { name, inputSchema, outputSchema } of listedTools) {
      expect(name).toMatch(/^memory_[a-z_]+$/);
      for (const parameter of Object.keys(inputSchema.properties ?? {}))
        expect(parameter).toMatch(/^[a-z_]+$/);
      expect(JSON.stringify([inputSchema, outputSchema])).not.toMatch(/\$ref|\$defs/);
    }
  });

  it('[A16] [J3] costs a model few tokens, and more does not creep in', () => {
    const whole = JSON.stringify(listedTools);
    expect(whole.length).toBeLessThan(36_000);
    // What clients show a model.
    const shown = listedTools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    }));
    expect(JSON.stringify(shown).length).toBeLessThan(15_700);
    expect(whole).not.toMatch(/"(pattern|maxLength|\$schema)"|9007199254740991/);
  });

  it('[A16] [J3] keeps what a model chooses by: enumerations, defaults, ranges and required parameters', () => {
    const search = listedTools.find(({ name }) => name === 'memory_search')!.inputSchema;
    expect(search).toMatchObject({
      required: ['query'],
      additionalProperties: false,
      properties: {
        top_k: { type: 'integer', minimum: 1, maximum: 1_000, default: 10 },
        layers: { items: { enum: expect.arrayContaining(['user', 'team']) } },
      },
    });
  });

  it('[J3] shows results that come in several kinds by the fields that all kinds have', () => {
    const reason = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('link'), at: z.string(), detail: z.string().meta({ description: 'Why' }) }),
      z.object({ kind: z.literal('text'), at: z.int(), detail: z.string(), words: z.array(z.string()) }),
    ]);
    expect(jsonSchemaOf(z.object({ reasons: z.array(reason) }), 'output')).toEqual({
      type: 'object',
      properties: {
        reasons: {
          type: 'array',
          items: {
            type: 'object',
            properties: { kind: { enum: ['link', 'text'] }, at: {}, detail: {} },
            required: ['kind', 'at', 'detail'],
          },
        },
      },
      required: ['reasons'],
    });
  });

  it('[A16] requires no more than seed tools do', () => {
    const required = Object.fromEntries(
      listedTools.map(({ name, inputSchema }) => [name, inputSchema.required]),
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
