import { beforeAll, describe, expect, it } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { newTenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
const english = useSharedServer('english');

const content = 'How the kettle in the kitchen is to be used in the morning.';
const code = 'def quixotic_boiler(temperature=80):\n    return zanzibar(temperature)';
const paragraph = (n: number) =>
  `Paragraph ${n} notes that partition ${n} was moved to worker ${n} without a pause, and that the next one waited. `;
const long = Array.from({ length: 60 }, (_, n) => paragraph(n)).join('\n\n');

async function search(client: Client, query: string, more: object = {}): Promise<Json> {
  const request = { query, threshold: 0, order: 'relevance', topK: 50, waitMs: 30_000, ...more };
  const reply = await client.post('/v1/search', request);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  return reply.body;
}

const named = ({ results }: Json, id: string): Json =>
  results.find((result: Json) => result.memory.id === id) as Json;

describe('a memory with representations', () => {
  let admin: Client;

  beforeAll(async () => {
    ({ admin } = await newTenant(server));
    await admin.bulk(
      Array.from({ length: 60 }, (_, n) => ({ content: `Note ${n}: worker ${n} was restarted.` })),
    );
  });

  it('[H8] is found by words that stand in a representation alone, and says in which', async () => {
    const { memory, position } = await admin.store({ content, representations: { code, graph: 'a -> b' } });
    const { results } = await search(admin, 'quixotic boiler', { minPosition: position });
    expect(results[0].memory.id).toBe(memory.id);
    expect(results[0].passage).toEqual({ start: 0, end: code.length, representation: 'code' });
    expect(results[0].memory).toMatchObject({ content, representations: { code, graph: 'a -> b' } });
    expect(results[0].score).toBeGreaterThanOrEqual(0.7);

    const cut = await search(admin, 'quixotic boiler', { content: 'passage' });
    expect(cut.results[0]).toMatchObject({
      memory: { content: code },
      truncated: true,
      excerpt: { start: 0, end: code.length, representation: 'code' },
      score: results[0].score,
    });
    const own = await search(admin, 'kettle in the kitchen');
    expect(own.results[0].memory).toMatchObject({ id: memory.id, content });
    expect(own.results[0]).not.toHaveProperty('passage');
  });

  it('[H8] names the passage of a long representation, and of a long content', async () => {
    const detail = 'The brass sextant hangs behind the pantry.';
    const graph = long.replace(paragraph(30), detail);
    const stored = await admin.store({
      content: `${long}\n\nThe gazebo is painted ochre.`,
      representations: { graph },
    });
    const inGraph = await search(admin, 'brass sextant pantry', { minPosition: stored.position });
    const { passage, excerpt, memory } = named(inGraph, stored.memory.id);
    expect(passage.representation).toBe('graph');
    expect(graph.slice(passage.start, passage.end)).toContain(detail);
    expect(passage.end - passage.start).toBeLessThan(1_500);
    expect(excerpt.representation).toBe('graph');
    expect(memory.content).toBe(graph.slice(excerpt.start, excerpt.end));
    const inContent = named(await search(admin, 'gazebo ochre', { content: 'passage' }), stored.memory.id);
    expect(inContent.passage).not.toHaveProperty('representation');
    expect(inContent.memory.content).toContain('gazebo');
  });

  it('[H8] is found by its present representations only, however they and its content change', async () => {
    const at = (id: string) => `/v1/memories/${id}`;
    const stored = await admin.store({
      content: 'A note about the attic.',
      representations: { code: 'vellichor()' },
    });
    const { id } = stored.memory;
    const any = { 'if-match': '*' };
    const found = async (query: string, position: string, more: object = {}) => {
      const result = named(await search(admin, query, { minPosition: position, ...more }), id);
      return result?.score >= 0.7 ? (result.passage?.representation ?? 'content') : undefined;
    };
    expect(await found('vellichor', stored.position)).toBe('code');
    const moved = await admin.patch(at(id), { content: 'A note about the cellar, petrichor.' }, any);
    expect(await found('vellichor', moved.body.position)).toBe('code');
    expect(await found('petrichor', moved.body.position)).toBe('content');
    const redrawn = await admin.patch(at(id), { representations: { code: null, formal: 'sonder = 1' } }, any);
    expect(await found('vellichor', redrawn.body.position)).toBeUndefined();
    expect(await found('sonder', redrawn.body.position)).toBe('formal');
    expect(await found('petrichor', redrawn.body.position)).toBe('content');
    expect(await found('vellichor', redrawn.body.position, { asOf: stored.position })).toBe('code');
    expect(await found('sonder', redrawn.body.position, { asOf: stored.position })).toBeUndefined();
    const none = await admin.patch(at(id), { representations: null }, any);
    expect(await found('sonder', none.body.position)).toBeUndefined();
    expect(await found('petrichor', none.body.position)).toBe('content');
  });

  it('[H8] is quoted from the representation in a context, whose citation says so', async () => {
    const formal = 'forall k: kiln(k) implies cooled(k) before glazed(k)';
    const { memory, position } = await admin.store({
      content: 'A rule of the workshop in the yard.',
      externalId: 'rule',
      representations: { formal },
    });
    const request = { query: 'kiln glazed cooled', tokenBudget: 500, minPosition: position, waitMs: 30_000 };
    const { body } = await admin.post('/v1/context', request);
    const item = body.items.find(({ id }: Json) => id === memory.id);
    expect(item).toMatchObject({ text: formal, representation: 'formal' });
    expect(item.citation).toMatch(/^\[\d+\] user memory rule, \d{4}-\d\d-\d\d \(formal\)$/);
    const own = await admin.post('/v1/context', { ...request, query: 'rule of the workshop in the yard' });
    const quoted = own.body.items.find(({ id }: Json) => id === memory.id);
    expect(quoted.text).toBe('A rule of the workshop in the yard.');
    expect(quoted).not.toHaveProperty('representation');
  });

  it('[H8] is found by nothing once it is erased', async () => {
    const { memory, position } = await admin.store({
      content: 'To be erased.',
      representations: { code: 'xylem()' },
    });
    expect(named(await search(admin, 'xylem', { minPosition: position }), memory.id)).toBeDefined();
    const gone = await admin.delete(`/v1/memories/${memory.id}?mode=erase`);
    expect(gone.status).toBeLessThan(300);
    const left = await search(admin, 'xylem', { minPosition: gone.body.position });
    expect(named(left, memory.id)).toBeUndefined();
  });
});

describe('the meaning of a representation', () => {
  it('[H8] finds the memory without a common word', async () => {
    const { admin } = await newTenant(english);
    await admin.bulk(
      Array.from({ length: 20 }, (_, n) => ({
        content: `Ticket ${n}: the printer on floor ${n} has no paper.`,
      })),
    );
    const { memory, position } = await admin.store({
      content: 'Reference 17-B.',
      representations: { natural_language: 'Our cat sleeps on the sofa every afternoon.' },
    });
    const { results } = await search(admin, 'Where does the pet nap?', { minPosition: position });
    expect(results[0].memory.id).toBe(memory.id);
    expect(results[0].passage.representation).toBe('natural_language');
  });
});
