import { describe, expect, it } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { auditEvents } from '../support/events.ts';
import { fails, inputOf, refuses, says, type ChatRequest } from '../support/scripted-language-model.ts';
import { useSummarizingServer } from '../support/summarizing-server.ts';
import { mem0Client } from '../support/mem0.ts';
import { newTenant } from '../support/tenant.ts';

const { llm, server } = await useSummarizingServer({ STRATALOG_SUMMARIES: 'extractive' });

const within = { timeout: 30_000, interval: 100 };

/** A model that finds these texts, each in the turns whose text it is given with. */
const finds = (facts: Readonly<Record<string, readonly string[]>>) =>
  says((request: ChatRequest) => {
    const turns = inputOf(request)['turns'] as readonly Json[];
    const numbersOf = (texts: readonly string[]) =>
      turns.filter(({ text }) => texts.includes(text)).map(({ number }) => number);
    return { facts: Object.entries(facts).map(([text, from]) => ({ text, turns: numbersOf(from) })) };
  });

const said = (...contents: string[]) => contents.map((content) => ({ role: 'user', name: 'Mia', content }));

async function drawn(admin: Client, count: number): Promise<Json[]> {
  const events = async () => (await auditEvents(admin, 'type=FactsDrawn')).map(({ data }) => data);
  await expect.poll(async () => (await events()).length, within).toBe(count);
  return events();
}

const factsOf = async (client: Client): Promise<Json[]> =>
  (await client.get('/v1/memories?layer=user')).body.items;

describe('facts of conversations', () => {
  it('[H10] are drawn by a language model with their turns as sources; nothing is invented, and junk is left out', async () => {
    const { admin, key } = await newTenant(server);
    const mia = await key({ user: 'mia' });
    const [lives, dog, hello] = ['I live in Berlin.', 'My dog Rex is seven years old.', 'Hello!'];
    llm.otherwise(
      finds({
        'Mia lives in Berlin.': [lives],
        'Mia has a seven years old dog, Rex.': [dog],
        'Mia works at the Charité.': [lives],
        'Mia has never lived in Berlin.': [lives],
        'Mia said hello.': [hello],
        'Does Mia live in Berlin?': [lives],
        'Mia lives alone.': [],
      }),
    );
    const { body } = await mia.post('/v1/conversations', {
      messages: said(hello, lives, dog),
      sessionId: 'one',
    });
    expect(body).toMatchObject({ facts: 'pending' });
    const [event] = await drawn(admin, 1);
    expect(event).toMatchObject({ generation: 1, model: 'gpt-4o', prompt: 1 });
    expect(event.facts.map(({ outcome }: Json) => outcome)).toEqual(['stored', 'stored']);
    const facts = await factsOf(mia);
    expect(facts.map(({ content }) => content).sort()).toEqual([
      'Mia has a seven years old dog, Rex.',
      'Mia lives in Berlin.',
    ]);
    const fact = facts.find(({ content }) => content.includes('Berlin'));
    expect(fact).toMatchObject({
      layer: 'user',
      scope: { user: 'mia' },
      createdBy: 'user:mia',
      metadata: {},
      trust: { source: 'agent', state: 'trusted' },
    });
    const related = (await mia.get(`/v1/memories/${fact.id}/related?types=derived_from`)).body.items;
    expect(related.map(({ memory }: Json) => memory.id)).toEqual([body.turns[1].id]);
    const [{ data: proposal }] = await auditEvents(admin, 'type=FactsProposed');
    expect(proposal.dropped).toEqual({ unsupported: 3, junk: 2 });
    // What was proposed cannot be read any more.
    expect(JSON.stringify(proposal)).not.toContain('Rex');
    const costs = (await auditEvents(admin, 'type=CostIncurred')).map(({ data }) => data);
    expect(costs).toMatchObject([{ purpose: 'facts', model: 'gpt-4o', inputTokens: 100, outputTokens: 20 }]);
    const [instructions] = llm.requests[0]!.messages;
    expect(instructions!.content).not.toMatch(/Berlin|Rex/);
  });

  it('[H10] are decided against what is known: the same is affirmed, and what has changed supersedes', async () => {
    const { admin, key } = await newTenant(server);
    const mia = await key({ user: 'mia' });
    const [first, second, third] = ['I live in Berlin.', 'I have moved to Munich.', 'My dog is called Rex.'];
    llm.otherwise(finds({ 'Mia lives in Berlin.': [first] }));
    const on = (day: number, content: string) => ({
      messages: said(content).map((turn) => ({ ...turn, at: `2026-03-0${day}T10:00:00Z` })),
    });
    await mia.post('/v1/conversations', on(1, first));
    await drawn(admin, 1);
    await mia.post('/v1/conversations', on(2, first));
    const outcomes = (await drawn(admin, 2)).map(({ facts }) => facts[0].outcome);
    expect(outcomes.sort()).toEqual(['affirmed', 'stored']);
    const [berlin] = await factsOf(mia);
    expect(berlin).toMatchObject({ affirmations: 1, affirmedAt: '2026-03-02T10:00:00.000Z' });
    llm.otherwise(finds({ 'Mia has moved to Munich.': [second], "Mia's dog is called Rex.": [third] }));
    await mia.post('/v1/conversations', { messages: [...on(3, second).messages, ...on(3, third).messages] });
    await drawn(admin, 3);
    const linksOf = async (name: string): Promise<Json[]> => {
      const { id } = (await factsOf(mia)).find(({ content }) => content.includes(name));
      const { items } = (await mia.get(`/v1/memories/${id}/related?types=supersedes,contradicts`)).body;
      return items.map(({ type, memory }: Json) => [type, memory.id]);
    };
    expect(await linksOf('Munich')).toEqual([['supersedes', berlin.id]]);
    // What may be true beside the other is not replaced.
    const fourth = 'My dog is called Bello.';
    llm.otherwise(finds({ "Mia's dog is called Bello.": [fourth] }));
    await mia.post('/v1/conversations', on(4, fourth));
    await drawn(admin, 4);
    expect((await linksOf('Bello')).map(([type]) => type)).toEqual(['contradicts']);
  });

  it('[H10] wait for a review where the space says so, and are kept out when nobody asks for them', async () => {
    const { admin, key } = await newTenant(server);
    const mia = await key({ user: 'mia' });
    await admin.put('/v1/spaces/held', { trust: { quarantine: [{ source: 'agent' }] } });
    llm.otherwise(finds({ 'Mia lives in Berlin.': ['I live in Berlin.'] }));
    const messages = said('I live in Berlin.');
    await mia.post('/v1/conversations', { messages, spaces: ['held'] });
    await drawn(admin, 1);
    expect(await factsOf(mia)).toEqual([]);
    const { items } = (await admin.get('/v1/reviews')).body;
    expect(items).toMatchObject([{ memory: { content: 'Mia lives in Berlin.', spaces: ['held'] } }]);
    const asked = llm.requests.length;
    const { body } = await mia.post('/v1/conversations', { messages, extract: false });
    expect(body.facts).toBe('off');
    await admin.patch('/v1/admin/routing', { languageModel: false });
    expect((await mia.post('/v1/conversations', { messages })).body.facts).toBe('off');
    expect(llm.requests).toHaveLength(asked);
  });

  it('[H10] are tried again if the model cannot be reached, and not if it refuses', async () => {
    const { admin, key } = await newTenant(server);
    const mia = await key({ user: 'mia' });
    llm.script(fails(500), fails(500));
    llm.otherwise(finds({ 'Mia lives in Berlin.': ['I live in Berlin.'] }));
    await mia.post('/v1/conversations', { messages: said('I live in Berlin.') });
    expect(await drawn(admin, 1)).toMatchObject([{ facts: [{ outcome: 'stored' }] }]);
    llm.otherwise(refuses);
    await mia.post('/v1/conversations', { messages: said('I live in Bonn.') });
    const events = await drawn(admin, 2);
    expect(events.find(({ failure }) => failure !== undefined)).toMatchObject({
      failure: 'refused',
      facts: [],
    });
  });

  it('[H10] are erased with their turns', async () => {
    const { admin, key } = await newTenant(server);
    const mia = await key({ user: 'mia' });
    llm.otherwise(
      finds({ 'Mia lives in Berlin.': ['I live in Berlin.'], 'Mia likes tea.': ['I like tea.'] }),
    );
    const messages = said('I live in Berlin.', 'I like tea.');
    const { turns } = (await mia.post('/v1/conversations', { messages })).body;
    await drawn(admin, 1);
    await admin.delete(`/v1/memories/${turns[0].id}?mode=erase`);
    await expect
      .poll(async () => (await factsOf(mia)).map(({ content }) => content), within)
      .toEqual(['Mia likes tea.']);
    await admin.post('/v1/subjects/mia/erase', { reason: 'asked for it' });
    await expect.poll(async () => (await admin.get('/v1/memories')).body.items, within).toEqual([]);
  });

  it('[H10] [J3] are drawn for clients of mem0, unless these say infer: false', async () => {
    const { admin, key } = await newTenant(server);
    const agent = await key({ role: 'agent', agents: ['app'], users: ['*'] });
    const mem0 = mem0Client(server, agent.key!);
    llm.otherwise(finds({ 'User lives in Berlin.': ['I live in Berlin.'] }));
    const body = { messages: [{ role: 'user', content: 'I live in Berlin.' }], user_id: 'nora' };
    const added = await mem0.post('/v3/memories/add/', { ...body, metadata: { topic: 'home' } });
    expect(added.body).toMatchObject({
      results: [{ memory: 'I live in Berlin.', event: 'ADD', role: 'user' }],
      message: 'Stored 1 memory; facts are drawn from it.',
    });
    await drawn(admin, 1);
    const listed = async () =>
      (await mem0.post('/v3/memories/', { filters: { user_id: 'nora' } })).body.results;
    await expect
      .poll(async () => (await listed()).map(({ memory }: Json) => memory).sort(), within)
      .toEqual(['I live in Berlin.', 'User lives in Berlin.']);
    const fact = (await listed()).find(({ memory }: Json) => memory.startsWith('User'));
    expect(fact).toMatchObject({ user_id: 'nora', run_id: null, metadata: { topic: 'home' } });
    const verbatim = { ...body, messages: [{ role: 'user', content: 'I like tea.' }], infer: false };
    const asked = llm.requests.length;
    expect((await mem0.post('/v3/memories/add/', verbatim)).body.message).toBe('Stored 1 memory.');
    expect(llm.requests).toHaveLength(asked);
  });
});
