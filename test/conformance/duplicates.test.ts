import { describe, expect, it } from 'vitest';
import { clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { useSharedServer } from '../support/use-server.ts';

const shared = useSharedServer('deterministic');

const team = { layer: 'team', scope: { team: 'search' } };
const company = { layer: 'company' };

async function tenantWith(config: object) {
  const tenant = freshTenant();
  const admin = await clientWithKey(shared, { tenant, role: 'admin', user: 'root' });
  const member = (user: string, teams = ['search']) =>
    clientWithKey(shared, { tenant, role: 'member', user, teams });
  expect((await admin.put('/v1/spaces/notes', config)).status).toBe(201);
  return { admin, ada: await member('ada'), bob: await member('bob'), member };
}

async function store(client: Client, body: object): Promise<Json> {
  const answer = await client.post('/v1/memories', { spaces: ['notes'], ...body });
  expect([200, 201]).toContain(answer.status);
  return { ...answer.body, id: answer.body.memory.id, status: answer.status };
}

describe('[H6] dedupStrategy exact', () => {
  const content = 'The pump in cellar two is bled every Friday.';
  const again = ' the pump  in cellar two is bled every Friday';

  it('answers with the first memory where everybody who would see the new one sees it', async () => {
    const { admin, ada, bob } = await tenantWith({ dedupStrategy: 'exact' });
    const first = await store(admin, { ...company, content, tags: ['a'] });
    for (const place of [company, team, { layer: 'user' }, { layer: 'session', scope: { session: 's' } }]) {
      const told = await store(place === company ? admin : ada, { ...place, content: again, tags: ['b'] });
      expect(told).toMatchObject({ status: 200, duplicate: true, id: first.id });
    }
    expect((await bob.get(`/v1/memories/${first.id}`)).body.affirmations).toBe(4);
    expect(await store(ada, { ...team, content, duplicates: 'keep' })).toMatchObject({ status: 201 });
    expect(await store(ada, { ...team, content, externalId: 'own' })).toMatchObject({ status: 201 });
    expect(await store(ada, { ...team, content, spaces: [] })).toMatchObject({ status: 200 });
  });

  it('counts in a session, and by line of a bulk request', async () => {
    const { ada } = await tenantWith({ dedupStrategy: 'exact' });
    const turn = { layer: 'session', scope: { session: 's' }, content };
    const first = await store(ada, turn);
    expect(await store(ada, turn)).toMatchObject({ status: 200, duplicate: true, id: first.id });
    expect(await store(ada, { ...turn, scope: { session: 'other' } })).toMatchObject({ status: 201 });
    const lines = [turn, { ...turn, content: 'Another text.' }, { ...turn, content: 'another text' }];
    const results = await ada.bulk(lines.map((line) => ({ spaces: ['notes'], ...line })));
    expect(results.map(({ status }) => status)).toEqual([200, 201, 200]);
    expect(results[2]!.id).toBe(results[1]!.id);
  });

  it('never answers with a memory that somebody in the new place does not see', async () => {
    const { ada, bob, admin } = await tenantWith({ dedupStrategy: 'exact' });
    const own = await store(ada, { layer: 'user', content });
    for (const [client, place] of [
      [bob, { layer: 'user' }],
      [ada, team],
      [admin, company],
    ] as const) {
      const stored = await store(client, { ...place, content });
      expect(stored.status).toBe(201);
      expect(stored.id).not.toBe(own.id);
    }
  });

  it('of writers at once one stores, and a deleted or changed memory is not the first any more', async () => {
    const { ada, bob } = await tenantWith({ dedupStrategy: 'exact' });
    const answers = await Promise.all(
      [ada, bob, ada, bob, ada, bob].map((client, index) =>
        store(client, { ...team, content, tags: [`t${index}`] }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    await ada.delete(`/v1/memories/${answers[0]!.id}`, { 'if-match': '*' });
    expect((await store(bob, { ...team, content })).status).toBe(201);
  });
});
