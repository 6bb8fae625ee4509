import { describe, expect, it } from 'vitest';
import { isProblem, Memory, Stratalog } from '../../packages/client/src/index.ts';
import { newTenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer();

/** A client of a new tenant, for its admin `ada`. */
async function newClient(): Promise<Stratalog> {
  const { admin } = await newTenant(server);
  return clientOf(admin);
}

const clientOf = ({ key }: { readonly key: string | undefined }): Stratalog =>
  new Stratalog({ url: server.url, apiKey: key });

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

describe('[J3] the client', () => {
  it('stores, finds, changes, deletes and restores a memory, and each read includes what was written', async () => {
    const client = await newClient();
    const { memory } = await client.memories.store({
      content: 'Mia is allergic to peanuts',
      tags: ['health'],
      metadata: { source: 'chat' },
    });
    const { results } = await client.search({ query: 'What is Mia allergic to?' });
    expect(results[0]?.memory.id).toBe(memory.id);
    const changed = await client.memories.update(
      memory.id,
      { content: 'Mia is allergic to shellfish', metadata: { source: null } },
      { ifMatch: memory.revision, reason: 'sie hat es mir gesagt – größer' },
    );
    expect(changed.memory).toMatchObject({ revision: 1, metadata: {} });
    expect((await client.memories.list({ tag: ['health'] })).items[0]?.content).toContain('shellfish');
    expect((await client.memories.get(memory.id, { asOf: memory.createdAt })).content).toContain('peanuts');
    const stale = client.memories.update(memory.id, { content: 'x' }, { ifMatch: 0 });
    await expect(stale).rejects.toMatchObject({ code: 'revision-mismatch', status: 412 });
    await client.memories.delete(memory.id);
    expect((await client.memories.list()).items).toEqual([]);
    await client.memories.restore(memory.id);
    const versions = await all(client.memories.history(memory.id));
    expect(versions.map(({ type }) => type)).toEqual([
      'MemoryStored',
      'MemoryUpdated',
      'MemoryDeleted',
      'MemoryRestored',
    ]);
    expect(versions[1]!.reason).toBe('sie hat es mir gesagt – größer');
    await client.memories.erase(memory.id);
    const erased = await client.memories.get(memory.id).catch((error: unknown) => error);
    expect(isProblem(erased, 'not-found')).toBe(true);
  });

  it('puts by external id, links, rates and validates', async () => {
    const client = await newClient();
    const { memory: old } = await client.memories.put('team/ö 1', { content: 'We meet on Monday' });
    const again = await client.memories.put('team/ö 1', { content: 'We meet on Tuesday' });
    expect(again.memory).toMatchObject({ id: old.id, revision: 1, externalId: 'team/ö 1' });
    const taken = await client.memories
      .store({ content: 'x', externalId: 'team/ö 1' })
      .catch((error: unknown) => error);
    expect(isProblem(taken, 'external-id-taken') && taken.problem['memoryId']).toBe(old.id);
    const { memory: next } = await client.memories.store({ content: 'We meet on Wednesday' });
    await client.memories.link(next.id, 'supersedes', old.id, { confidence: 0.9 });
    const { items } = await client.memories.related(next.id, { types: ['supersedes'], depth: 2 });
    expect(items.map(({ memory }) => memory.id)).toEqual([old.id]);
    await client.memories.unlink(next.id, 'supersedes', old.id);
    expect((await client.memories.related(next.id)).items).toEqual([]);
    await client.memories.feedback(old.id, { kind: 'outdated' });
    expect(await client.memories.validate({ ids: [old.id, next.id] })).toHaveProperty('position');
  });

  it('stores in bulk from a list, a text and a stream, and lists all of it', async () => {
    const client = await newClient();
    async function* streamed() {
      for (let index = 0; index < 3; index++) yield { content: `streamed ${index}`, externalId: `s${index}` };
    }
    const lines = [
      ...(await all(client.memories.bulk([{ content: 'listed' }, { content: '' }]))),
      ...(await all(client.memories.bulk('{"content":"a text"}\n\n{"content":"another"}'))),
      ...(await all(client.memories.bulk(streamed()))),
      ...(await all(client.memories.bulk(() => [{ content: 'new', externalId: 's1', upsert: true }]))),
    ];
    expect(lines.map(({ status }) => status)).toEqual([201, 400, 201, 201, 201, 201, 201, 200]);
    expect(lines[1]!.problem).toMatchObject({ code: 'validation-failed' });
    const memories = await client.memories.list({ limit: 2, order: 'oldest' }).toArray();
    expect(memories.map(({ content }) => content).sort()).toEqual(
      ['a text', 'another', 'listed', 'new', 'streamed 0', 'streamed 2'].sort(),
    );
  });

  it('acts for a user, and creates, lists and revokes keys', async () => {
    const client = await newClient();
    const created = await client.admin.keys.create({ role: 'agent', agents: ['helper'], users: ['*'] });
    expect((await client.admin.keys.list().toArray()).map(({ id }) => id)).toContain(created.id);
    const agent = clientOf(created);
    const forZoe = agent.onBehalfOf('zoë');
    const { memory } = await forZoe.memories.store({ content: 'Zoë likes tea' });
    expect(memory.scope.user).toBe('zoë');
    expect((await forZoe.memories.list()).items).toHaveLength(1);
    expect((await agent.memories.list()).items).toEqual([]);
    await client.admin.keys.revoke(created.id);
    const refused = forZoe.memories.list().page();
    await expect(refused).rejects.toMatchObject({ code: 'unauthenticated', remedy: expect.any(String) });
  });

  it('reads the audit as a page, a stream and while it grows', async () => {
    const client = await newClient();
    await client.memories.store({ content: 'first' });
    const stored = { type: ['MemoryStored'] };
    expect((await client.audit.events(stored)).items).toHaveLength(1);
    expect(await all(client.audit.stream(stored))).toHaveLength(1);
    const following = client.audit.follow(stored);
    expect((await following.next()).value).toMatchObject({ type: 'MemoryStored', actor: 'user:ada' });
    const next = following.next();
    await client.memories.store({ content: 'second' });
    expect((await next).value).toMatchObject({ type: 'MemoryStored' });
    await following.return(undefined);
    const { searchId } = await client.search({ query: 'first' });
    await expect
      .poll(() =>
        client.audit.search(searchId).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
  });

  it('shows figures, read models, routing and the state of the server', async () => {
    const client = await newClient();
    await client.memories.store({ content: 'one' });
    expect((await client.stats()).total.active).toBe(1);
    expect((await client.readiness()).status).toBe('ready');
    expect((await client.admin.projections.list()).items.map(({ name }) => name)).toContain('vectors');
    await client.admin.routing.update({ threshold: 0.5 });
    expect(await client.admin.routing.get()).toMatchObject({ settings: { threshold: 0.5 } });
    const context = await client.context({ query: 'one', tokenBudget: 100, threshold: 0 });
    expect(context.text).toContain('one');
    const { results } = await client.reasoning.multiHop({ query: 'one' });
    expect(results).toHaveLength(1);
    expect(await client.call({ method: 'GET', path: '/v1/stats' })).toHaveProperty('total');
  });
});

describe('[J3] Memory, with the verbs of mem0', () => {
  it('adds a conversation, searches and lists it, and keeps users apart', async () => {
    const client = await newClient();
    const memory = new Memory({ client });
    const { results: added } = await memory.add(
      [
        { role: 'system', content: 'You are helpful' },
        { role: 'user', content: 'I am a vegetarian and allergic to nuts' },
        { role: 'assistant', content: 'I will remember that' },
      ],
      { userId: 'ada', runId: 'r1', metadata: { topic: 'food' } },
    );
    expect(added.map(({ event }) => event)).toEqual(['ADD', 'ADD']);
    await memory.add('The team eats at noon', { appId: 'kitchen' });
    const { results } = await memory.search('What can I not eat?', { userId: 'ada', topK: 1 });
    expect(results[0]).toMatchObject({
      memory: 'I am a vegetarian and allergic to nuts',
      userId: 'ada',
      runId: 'r1',
      metadata: { role: 'user', topic: 'food' },
    });
    const asked = { filters: { user_id: 'ada', OR: [{ topic: 'food' }, { topic: 'sport' }] } };
    expect((await memory.getAll(asked)).results).toHaveLength(2);
    expect((await memory.getAll({ userId: 'ada', limit: 1 })).results).toHaveLength(1);
    expect((await memory.getAll({ userId: 'ada', filters: { topic: { ne: 'food' } } })).results).toEqual([]);
  });

  it('changes and deletes a memory and shows its history', async () => {
    const memory = new Memory({ client: await newClient() });
    const { results } = await memory.add('I like tea', { userId: 'ada', metadata: { a: 1 } });
    const { id } = results[0]!;
    await memory.update(id, 'I like coffee');
    await memory.update(id, { metadata: { b: 2 } });
    expect(await memory.get(id)).toMatchObject({ memory: 'I like coffee', metadata: { a: 1, b: 2 } });
    await memory.delete(id);
    expect(await memory.get(id)).toBeNull();
    expect(await memory.get('unknown')).toBeNull();
    const history = await memory.history(id);
    expect(history.map(({ event, oldMemory, newMemory }) => [event, oldMemory, newMemory])).toEqual([
      ['ADD', null, 'I like tea'],
      ['UPDATE', 'I like tea', 'I like coffee'],
      ['UPDATE', 'I like coffee', 'I like coffee'],
      ['DELETE', 'I like coffee', null],
    ]);
  });

  it('deletes all of a scope that is named, and nothing without one', async () => {
    const client = await newClient();
    const memory = new Memory({ client });
    const turns = Array.from({ length: 20 }, (_, index) => ({ role: 'user', content: `turn ${index}` }));
    await memory.add(turns, { userId: 'ada', runId: 'r1' });
    await memory.add('kept', { userId: 'ada', runId: 'r2' });
    await expect(memory.reset({})).rejects.toThrow('name at least one of userId');
    await expect(memory.deleteAll({})).rejects.toThrow(TypeError);
    await memory.deleteAll({ runId: 'r1' });
    expect((await memory.getAll({ userId: 'ada' })).results.map((item) => item.memory)).toEqual(['kept']);
    await memory.reset({ userId: 'ada' });
    expect((await memory.getAll({ userId: 'ada' })).results).toEqual([]);
  });

  it('acts for the user that a call names, with a key of role agent', async () => {
    const admin = await newClient();
    const { key } = await admin.admin.keys.create({ role: 'agent', agents: ['helper'], users: ['*'] });
    const memory = new Memory({ url: server.url, apiKey: key, actsForUsers: true });
    await memory.add('Bo likes tea', { userId: 'bo' });
    await memory.add('Cy likes cake', { userId: 'cy' });
    const { results } = await memory.search('Who likes what?', { filters: { user_id: 'bo' }, threshold: 0 });
    expect(results.map((item) => item.memory)).toEqual(['Bo likes tea']);
  });
});
