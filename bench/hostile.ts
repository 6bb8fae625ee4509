// How long a server's event loop is held at a time by the costliest requests that anybody may send.
import path from 'node:path';
import type { Benchmark } from './support/benchmark.ts';
import { withScratch } from './support/folders.ts';
import type { HttpClient, Json, Reply } from './support/http.ts';
import { adminOf } from './support/loaded.ts';
import { Program } from './support/program.ts';
import type { Report } from './support/report.ts';

const maxHeldMs = 50;
const longest = 1_000_000;

/** Texts as long as a memory may be, each of another kind. */
const texts: Readonly<Record<string, (n: number) => string>> = {
  prose: (n) => filled((at) => `Note ${at} of ${n}: the release of the gateway waits for the canary. `),
  'different words': (n) => filled((at) => `term${(at * 7_919 + n).toString(36)} `),
  'a single line': (n) => `release${'x'.repeat(longest - 20)}${n}`,
  lists: (n) => filled((at) => `- item ${at}\n# Release ${n}\n`),
  Chinese: (n) => `release ${n} ${'关于港口和船只的笔记。'.repeat(90_000)}`,
};

function filled(part: (at: number) => string): string {
  let text = '';
  for (let at = 0; text.length < longest - 200; at++) text += part(at);
  return text.trim();
}

const question = 'When is the release of the gateway?';
const many = (count: number, part: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => part(at)).join(' ');
const fields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`field${n}`, n]));
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

type Send = (client: HttpClient, memory: Json) => Promise<Reply | Json[]>;
const post =
  (to: string, body: unknown): Send =>
  (client) =>
    client.send('POST', to, body);
const raw =
  (to: string, text: string): Send =>
  (client) =>
    client.sendText('POST', to, text);
const onMemory =
  (method: string, to: string, body?: unknown): Send =>
  (client, { id }) =>
    client.send(method, to.replace(':id', id), body, { 'if-match': '*' });
const tool =
  (name: string, args: object): Send =>
  (client) =>
    client.send(
      'POST',
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
      { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
    );

const reads: Readonly<Record<string, Send>> = {
  search: post('/v1/search', { query: question }),
  'search, whole contents': post('/v1/search', { query: question, content: 'whole' }),
  'search, threshold 0, topK 1000': post('/v1/search', { query: question, topK: 1_000, threshold: 0 }),
  'search of 20,000 units': post('/v1/search', { query: many(2_500, () => 'release').slice(0, 20_000) }),
  'search of different words': post('/v1/search', {
    query: many(3_000, (n) => `t${(n * 7_919).toString(36)}`).slice(0, 20_000),
    topK: 1_000,
  }),
  'search, a long question': post('/v1/search', {
    query: many(250, (n) => `Who decided about topic ${n}, and when did the team of ${n} release it?`).slice(
      0,
      20_000,
    ),
  }),
  'multi-hop': post('/v1/reasoning/multi-hop', { query: question }),
  'search with experience': post('/v1/reasoning/search', { query: question }),
  context: post('/v1/context', { query: question, tokenBudget: 2_000 }),
  'context of 100,000 tokens': post('/v1/context', { query: question, tokenBudget: 100_000 }),
  'a page of the list': (client) => client.send('GET', '/v1/memories?limit=500'),
  get: onMemory('GET', '/v1/memories/:id'),
  history: onMemory('GET', '/v1/memories/:id/history'),
  related: onMemory('GET', '/v1/memories/:id/related'),
  validate: (client, { all }) => client.send('POST', '/v1/memories/validate', { ids: all }),
  stats: (client) => client.send('GET', '/v1/stats'),
  reviews: (client) => client.send('GET', '/v1/reviews'),
  'audit events': (client) => client.send('GET', '/v1/audit/events?limit=500'),
  'mem0: search': post('/compat/mem0/v3/memories/search/', {
    query: question,
    filters: { user_id: 'bench' },
  }),
  'mem0: list': post('/compat/mem0/v3/memories/', { filters: { user_id: 'bench' } }),
  'MCP: search': tool('memory_search', { query: question, top_k: 100 }),
  'MCP: context': tool('memory_context', { query: question }),
  'MCP: half a million unknown fields': tool('memory_search', { query: question, ...fields(500_000) }),
  'MCP: 9,000 unknown fields': tool('memory_search', { query: question, ...fields(9_000) }),
};

const refused: Readonly<Record<string, Send>> = {
  'half a million unknown fields': post('/v1/search', fields(500_000)),
  '9,000 unknown fields': post('/v1/search', fields(9_000)),
  '9,000 metadata fields': post('/v1/memories', { content: 'x', metadata: fields(9_000) }),
  '9,000 unknown fields in each of two objects': post('/v1/memories', {
    scope: fields(4_900),
    ...fields(4_900),
  }),
  'four million brackets': raw('/v1/search', nested(4_000_000)),
  '40,000 brackets': raw('/v1/search', nested(40_000)),
  '40,000 brackets in metadata': raw('/v1/memories', `{"content":"x","metadata":{"a":${nested(40_000)}}}`),
  'a deep filter': raw(
    '/v1/search',
    `{"query":"x","filter":${'{"not":'.repeat(9_000)}{}${'}'.repeat(9_000)}}`,
  ),
  'a wide filter': post('/v1/search', {
    query: question,
    filter: { or: Array.from({ length: 9_000 }, (_, n) => ({ tags: `t${n}` })) },
  }),
  'a filter of 49,000 values': post('/v1/search', {
    query: question,
    filter: { tags: { in: Array.from({ length: 49_000 }, (_, n) => `t${n}`) } },
  }),
  '49,000 tags': post('/v1/memories', {
    content: 'x',
    tags: Array.from({ length: 49_000 }, (_, n) => `t${n}`),
  }),
  '49,000 wrong tags': post('/v1/memories', {
    content: 'x',
    tags: Array.from({ length: 49_000 }, (_, n) => n),
  }),
  'a question of 8 MB': post('/v1/search', { query: 'a '.repeat(3_900_000) }),
  'a memory of 8 MB': post('/v1/memories', { content: 'a '.repeat(3_900_000) }),
  'mem0: 49,000 messages': post('/compat/mem0/v3/memories/add/', {
    messages: Array.from({ length: 49_000 }, () => 'x'),
    user_id: 'bench',
  }),
  'bulk: 9,000 unknown fields': (client) => client.bulk([fields(9_000), fields(9_000)]),
};

const store = (text: string, which: number, onConflict: string): Send =>
  post('/v1/memories', { content: texts[text]!(which), onConflict });

const writes: Readonly<Record<string, Send>> = {
  'store, onConflict supersede': store('prose', 11, 'supersede'),
  'store different words, onConflict report': store('different words', 12, 'report'),
  'store a single line, onConflict report': store('a single line', 13, 'report'),
  'store lists, onConflict report': store('lists', 14, 'report'),
  'store Chinese, onConflict report': store('Chinese', 15, 'report'),
  'store the same again': post('/v1/memories', { content: texts['prose']!(0) }),
  'store 1 MB of metadata': post('/v1/memories', {
    content: 'Small',
    metadata: { list: Array.from({ length: 49_000 }, (_, n) => n) },
  }),
  update: onMemory('PATCH', '/v1/memories/:id', { content: texts['prose']!(21) }),
  'update of other words': onMemory('PATCH', '/v1/memories/:id', { content: texts['different words']!(22) }),
  'history after updates': onMemory('GET', '/v1/memories/:id/history'),
  'search after updates': post('/v1/search', { query: question }),
  'search as of the past': (client, { asOf }) => client.send('POST', '/v1/search', { query: question, asOf }),
  'bulk of four': (client) => client.bulk([31, 32, 33, 34].map((n) => ({ content: texts['prose']!(n) }))),
  'refresh of a summary': post('/v1/summaries/refresh', { layer: 'user', scope: { user: 'bench' } }),
  'mem0: add': post('/compat/mem0/v3/memories/add/', { messages: texts['prose']!(41), user_id: 'bench' }),
  'MCP: store': tool('memory_store', { content: texts['prose']!(42) }),
};

/** What one request did. */
interface Held {
  readonly held: number;
}

export const hostile: Benchmark = {
  name: 'hostile',
  about: `how long ${Object.keys({ ...reads, ...refused, ...writes }).length} costly requests hold the event loop at a time, with five memories of 1 MB`,
  async run(_, report) {
    await withScratch((folder) => measure(path.join(folder, 'data'), report));
  },
};

async function measure(dataDir: string, report: Report): Promise<void> {
  const program = await Program.start({
    dataDir,
    embedder: 'deterministic',
    preload: path.resolve('bench/support/loop-monitor.mjs'),
  });
  const client = await adminOf(program);
  let memory: Json = {};
  for (const [n, text] of Object.values(texts).entries()) {
    const content = text(n);
    const stored = await client.send('POST', '/v1/memories', {
      content,
      layer: 'user',
      scope: { user: 'bench' },
    });
    if (stored.status > 201) throw new Error(`a text was refused: ${JSON.stringify(stored.body)}`);
    if (n === 0) memory = { ...stored.body.memory, asOf: stored.body.position };
  }
  await settled(program);
  await client.send('POST', '/v1/search', { query: question });
  const { items } = await client.expect(200, 'GET', '/v1/memories');
  memory.all = items.map(({ id }: Json) => id);
  const held: [string, number, number][] = [];
  for (const [name, send] of Object.entries({ ...reads, ...refused, ...writes })) {
    await program.ask<Held>();
    const reply = await send(client, memory);
    const answered = await program.ask<Held>();
    await settled(program);
    const after = await program.ask<Held>();
    const status = Array.isArray(reply) ? Math.max(...reply.map((line) => line.status)) : reply.status;
    report.check(`${name} is answered`, status < 500, `${status}`);
    process.stderr.write(`\r${held.length} requests`);
    held.push([`${name} (${status})`, answered.held, after.held]);
  }
  report.table({
    title: 'milliseconds that the event loop was held at a time at most',
    header: ['request', 'until the answer', 'until it is searchable'],
    rows: held,
  });
  report.figure({
    name: 'longest, worst request',
    value: Math.max(...held.flatMap(([, until, after]) => [until, after])),
    unit: 'ms',
    target: { of: 'value', most: maxHeldMs },
  });
  client.close();
  await program.stop();
}

/** What follows a command, such as embedding, is no part of the next measurement. */
async function settled(program: Program): Promise<void> {
  await program.caughtUp();
  await new Promise((resolve) => setTimeout(resolve, 300));
}
