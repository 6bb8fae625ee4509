import type { Json } from '../../support/http.ts';
import { pick } from '../../support/random.ts';
import type { Secret } from './secrets.ts';
import type { Asker, StoredMemory } from './world.ts';

/** What a probe aims at: a memory that its caller may or may not see, and another caller. */
export interface Target {
  readonly memory: StoredMemory;
  /** One that the caller may see. */
  readonly own: StoredMemory;
  readonly secret: Secret;
  readonly other: Asker;
}

/** An answer as text, with its status; 0 is an error of an MCP tool. */
export interface ProbeAnswer {
  readonly status: number;
  readonly text: string;
}

export interface ProbeKind {
  readonly name: string;
  /** Sends the probe. `extra` narrows or lies about the scope. */
  ask(asker: Asker, target: Target, extra: Json): Promise<ProbeAnswer>;
  /**
   * What a caller who may see the target must find: its mark, or any mark. `sometimes`: some caller must find a mark at some time.
   * `nothing`: the answer has no content.
   */
  readonly finds: 'it' | 'something' | 'sometimes' | 'nothing';
  /** Whether the call would change the target, so that it is only sent for what the caller must not see. */
  readonly isChange?: boolean;
}

const read = (
  name: string,
  path: (target: Target) => string,
  finds: ProbeKind['finds'] = 'it',
): ProbeKind => ({
  name,
  finds,
  ask: (asker, target) => http(asker, 'GET', path(target)),
});

const post = (
  name: string,
  path: string,
  body: (target: Target) => Json,
  finds: ProbeKind['finds'] = 'it',
): ProbeKind => ({
  name,
  finds,
  ask: (asker, target, extra) => http(asker, 'POST', path, { ...body(target), ...extra }),
});

const change = (
  name: string,
  method: string,
  path: (target: Target, asker: Asker) => string,
  body?: (target: Target) => Json,
  headers: Record<string, string> = {},
): ProbeKind => ({
  name,
  finds: 'nothing',
  isChange: true,
  ask: (asker, target) => http(asker, method, path(target, asker), body?.(target), headers),
});

const tool = (
  name: string,
  call: (target: Target) => Json,
  finds: ProbeKind['finds'] = 'it',
  isChange = false,
): ProbeKind => ({
  name: `MCP ${name}`,
  finds,
  isChange,
  async ask({ mcp }, target) {
    const answer = await mcp.callTool({ name, arguments: call(target) as Record<string, unknown> });
    return { status: answer.isError ? 0 : 200, text: JSON.stringify(answer) };
  },
});

const question = ({ memory: { bait } }: Target): string => `Which code opens the vault of ${bait}?`;
const winter = ({ secret: { bait } }: Target): string => `How does the vault ${bait} open in winter?`;
const scopeOf = ({ memory: { layer, scope } }: Target): string => {
  const named = Object.entries(scope).map(([name, id]): [string, string] => [`scope.${name}`, id]);
  return new URLSearchParams([['layer', layer], ...named]).toString();
};

/** All ways to look at what is stored, and at what is derived from it, over HTTP and MCP. */
export const probeKinds: readonly ProbeKind[] = [
  read('get', ({ memory }) => `/v1/memories/${memory.id}`),
  read('history', ({ memory }) => `/v1/memories/${memory.id}/history`, 'it'),
  read('related', ({ memory }) => `/v1/memories/${memory.id}/related?depth=3`, 'something'),
  read('surfaces', ({ memory }) => `/v1/memories/${memory.id}/surfaces`, 'nothing'),
  read('list by tag', ({ memory }) => `/v1/memories?tag=${memory.bait}`),
  read('list by externalId', ({ memory }) => `/v1/memories?externalId=external-${memory.bait}`),
  read(
    'list by metadata',
    ({ memory }) =>
      `/v1/memories?filter=${encodeURIComponent(JSON.stringify({ 'metadata.bait': { eq: memory.bait } }))}`,
  ),
  read('list by space', () => '/v1/memories?space=vaults&limit=500'),
  post('search', '/v1/search', (target) => ({ query: question(target), threshold: 0, topK: 50 })),
  post('search with a filter', '/v1/search', ({ memory }) => ({
    query: 'code of the vault',
    threshold: 0,
    topK: 1_000,
    filter: { 'metadata.hint': { contains: 'hint' }, tags: { contains: memory.bait } },
  })),
  post('context', '/v1/context', (target) => ({ query: question(target), tokenBudget: 2_000 }), 'something'),
  post('multi-hop', '/v1/reasoning/multi-hop', (target) => ({ query: question(target) }), 'something'),
  post('search with experience', '/v1/reasoning/search', (target) => ({
    query: question(target),
    threshold: 0,
  })),
  post('validate', '/v1/memories/validate', ({ memory }) => ({ ids: [memory.id] }), 'nothing'),
  post(
    'reasoning history',
    '/v1/reasoning/history',
    (target) => ({ query: winter(target), threshold: 0 }),
    'sometimes',
  ),
  read('strategies (lessons)', () => '/v1/reasoning/strategies', 'sometimes'),
  read('summaries', (target) => `/v1/summaries?${scopeOf(target)}`, 'something'),
  read(
    'summaries about a question',
    (target) => `/v1/summaries?query=${encodeURIComponent(question(target))}`,
    'something',
  ),
  read('stats', () => '/v1/stats', 'nothing'),
  read('audit of a memory', ({ memory }) => `/v1/audit/events?memory=${memory.id}`, 'nothing'),
  {
    name: 'replay of a search',
    finds: 'nothing',
    ask: (asker, { other }) => http(asker, 'POST', `/v1/audit/searches/${other.searchId}/replay`, {}),
  },
  read('audit of a search', ({ other }) => `/v1/audit/searches/${other.searchId}`, 'nothing'),
  change(
    'patch',
    'PATCH',
    ({ memory }) => `/v1/memories/${memory.id}`,
    () => ({ content: 'taken' }),
    { 'if-match': '*' },
  ),
  change('delete', 'DELETE', ({ memory }) => `/v1/memories/${memory.id}`),
  change('restore', 'POST', ({ memory }) => `/v1/memories/${memory.id}/restore`),
  change(
    'feedback',
    'POST',
    ({ memory }) => `/v1/memories/${memory.id}/feedback`,
    () => ({ kind: 'outdated' }),
  ),
  change(
    'link',
    'PUT',
    ({ memory, own }) => `/v1/memories/${own.id}/links/related/${memory.id}`,
    () => ({}),
  ),
  change(
    'outcome of a search',
    'POST',
    ({ other }) => `/v1/searches/${other.searchId}/outcome`,
    ({ memory }) => ({ used: [memory.id] }),
  ),
  tool('memory_search', (target) => ({ query: question(target), top_k: 50 }), 'something'),
  tool('memory_get', ({ memory }) => ({ memory_id: memory.id })),
  tool('memory_build_context', (target) => ({ query: question(target), token_budget: 2_000 }), 'something'),
  tool('memory_get_related', ({ memory }) => ({ memory_id: memory.id, max_depth: 3 }), 'something'),
  tool('memory_multi_hop', (target) => ({ query: question(target) }), 'something'),
  tool('memory_validate_consistency', ({ memory }) => ({ memory_ids: [memory.id] }), 'nothing'),
  tool(
    'memory_get_reasoning_history',
    (target) => ({ task_description: winter(target), similar_threshold: 0 }),
    'sometimes',
  ),
  tool('memory_search_with_experience', (target) => ({ query: question(target) }), 'something'),
  tool('memory_stats', () => ({}), 'nothing'),
  tool(
    'memory_update',
    ({ memory }) => ({ memory_id: memory.id, updates: { content: 'taken' } }),
    'nothing',
    true,
  ),
  tool('memory_delete', ({ memory }) => ({ memory_id: memory.id }), 'nothing', true),
  tool('memory_feedback', ({ memory }) => ({ memory_id: memory.id, kind: 'outdated' }), 'nothing', true),
];

/** Fields that a body may add to reach further than its caller: they must narrow, or be refused. */
export function reachFurther({ memory }: Target, random: () => number): Json {
  return pick(
    [
      {},
      {},
      { scope: memory.scope },
      { scope: { user: 'alice' } },
      { scope: { user: 'bob' } },
      { layers: [memory.layer] },
      { tenant: memory.tenant },
    ],
    random,
  );
}

async function http(
  { http, headers }: Asker,
  method: string,
  path: string,
  body?: unknown,
  more: Record<string, string> = {},
): Promise<ProbeAnswer> {
  const reply = await http.send(method, path, body, { ...headers, ...more });
  return { status: reply.status, text: JSON.stringify(reply.body ?? null) };
}
