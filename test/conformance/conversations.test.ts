import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { compiled, printedBy, promisedBy, snippetsOf } from '../support/snippets.ts';
import { newTenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer();

const said = [
  { role: 'user', name: 'Mia', content: 'I live in Berlin.', at: '2026-03-01T10:00:00Z' },
  { role: 'assistant', content: '  Berlin is large.\n' },
  { role: 'user', name: 'Mia', content: 'I live in Berlin.' },
];

async function turnsIn(client: Client, sessionId: string, minPosition: string): Promise<Json[]> {
  const path = `/v1/memories?layer=session&order=oldest&minPosition=${minPosition}`;
  const { items } = (await client.get(path)).body as { items: Json[] };
  return items.filter(({ scope }) => scope.session === sessionId);
}

describe('conversations without a language model', () => {
  it('[H10] are stored turn by turn, verbatim and in order, and a repetition stores nothing twice', async () => {
    const { key } = await newTenant(server);
    const mia = await key({ user: 'mia' });
    const body = { messages: said, sessionId: 'chat-1', metadata: { channel: 'web' } };
    const headers = { 'idempotency-key': 'conversation-1' };
    const { status, body: first } = await mia.post('/v1/conversations', body, headers);
    expect(status).toBe(202);
    expect(first).toMatchObject({ facts: 'off', turns: [{}, {}, {}], position: expect.any(String) });
    const turns = await turnsIn(mia, 'chat-1', first.position);
    expect(turns.map(({ id }) => id).sort()).toEqual(first.turns.map(({ id }: Json) => id));
    expect(turns.map(({ content }) => content).sort()).toEqual(said.map(({ content }) => content).sort());
    const memories = await Promise.all(first.turns.map(({ id }: Json) => mia.get(`/v1/memories/${id}`)));
    expect(memories.map(({ body: { content } }) => content)).toEqual(said.map(({ content }) => content));
    expect(memories[0]!.body).toMatchObject({
      layer: 'session',
      scope: { user: 'mia', session: 'chat-1' },
      metadata: { role: 'user', name: 'Mia', channel: 'web' },
      occurredAt: '2026-03-01T10:00:00.000Z',
    });
    expect(memories[1]!.body.metadata).toEqual({ role: 'assistant', channel: 'web' });

    const again = await mia.post('/v1/conversations', body, headers);
    expect(again.status).toBe(202);
    expect(again.body).toEqual(first);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await turnsIn(mia, 'chat-1', first.position)).toHaveLength(3);
    const other = await mia.post('/v1/conversations', { ...body, messages: said.slice(1) }, headers);
    expect(other.body).toMatchObject({ code: 'idempotency-key-reused' });
  });

  it('[H10] without a session are one of their own, and say which field is wrong', async () => {
    const { admin, key } = await newTenant(server);
    const mia = await key({ user: 'mia' });
    const { body } = await mia.post('/v1/conversations', { messages: said.slice(0, 1) });
    const { scope } = (await mia.get(`/v1/memories/${body.turns[0].id}`)).body;
    expect(scope).toMatchObject({ user: 'mia', session: body.id });
    const refusalOf = async (client: Client, sent: Json) =>
      (await client.post('/v1/conversations', sent)).body;
    const pathsOf = async (client: Client, sent: Json) =>
      (await refusalOf(client, sent)).errors?.map(({ path }: Json) => path);
    expect(await pathsOf(mia, { messages: [] })).toEqual(['messages']);
    expect(await pathsOf(mia, { messages: [...said, { role: 'user', content: ' ' }] })).toEqual([
      'messages.3.content',
    ]);
    expect(await pathsOf(mia, { messages: [{ content: 'x', at: 'now' }] })).toEqual([
      'messages.0.role',
      'messages.0.at',
    ]);
    expect(await pathsOf(mia, { messages: said, sessionId: 'a', scope: { session: 'b' } })).toEqual([
      'sessionId',
    ]);
    expect(await pathsOf(mia, { messages: said, layer: 'team' })).toEqual(['scope.team']);
    expect(await refusalOf(mia, { messages: said, layer: 'company' })).toMatchObject({ code: 'forbidden' });
    const reader = await key({ role: 'reader', user: 'rob' });
    expect(await refusalOf(reader, { messages: said })).toMatchObject({ code: 'forbidden' });
    const { items } = (await admin.get('/v1/memories')).body;
    expect(items.filter(({ id }: Json) => id !== body.turns[0].id)).toEqual([]);
  });
});

describe('the guide to conversations', () => {
  it('[H10] [J8] has a command and a program that run as they stand there', async () => {
    const { admin } = await newTenant(server);
    const page = 'docs/guides/conversations.md';
    const [, command] = /^```sh\n(.*?)^```$/ms.exec(await readFile(page, 'utf8'))!;
    const body = /-d '(.*)'/s.exec(command!)![1]!;
    const answer = await admin.post('/v1/conversations', JSON.parse(body), {
      'idempotency-key': 'chat-17/1',
    });
    expect(answer).toMatchObject({ status: 202, body: { turns: [{}, {}] } });
    const [program] = await snippetsOf(page);
    const { conversations } = await compiled({ conversations: program! });
    const environment = { STRATALOG_URL: server.url, STRATALOG_API_KEY: admin.key! };
    expect(await printedBy(conversations!, environment)).toEqual(promisedBy(program!));
  });
});
