import { describe, expect, it, vi } from 'vitest';
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

describe('[H6] dedupStrategy semantic', () => {
  const pump = 'The pump in cellar two must be bled every Friday, or it trips the breaker.';
  const pumpAgain = 'Every Friday the pump in cellar two has to be bled, or it trips the breaker!';
  const otherPump = 'The pump in cellar three must be bled every Friday, or it trips the breaker.';

  const seconds = { timeout: 15_000, interval: 100 };

  /** The clusters that the caller sees, once there are as many. */
  async function clustersOf(client: Client, count: number, query = ''): Promise<Json[]> {
    return vi.waitFor(async () => {
      const { body } = await client.get(`/v1/duplicates?state=open${query}`);
      expect(body.items).toHaveLength(count);
      return body.items as Json[];
    }, seconds);
  }

  async function clustered() {
    const people = await tenantWith({ dedupStrategy: 'semantic', semanticSimilarityThreshold: 0.5 });
    const { ada } = people;
    const first = await store(ada, { ...team, content: pump });
    const second = await store(ada, { ...team, content: pumpAgain });
    const other = await store(ada, { ...team, content: otherPump });
    const [cluster] = await clustersOf(ada, 1);
    return {
      ...people,
      first: first.id as string,
      second: second.id as string,
      other: other.id as string,
      cluster: cluster!,
    };
  }

  const noReviews = (client: Client) =>
    vi.waitFor(async () => {
      expect((await client.get('/v1/reviews?kind=duplicate')).body.items).toEqual([]);
    }, seconds);

  const isActive = async (client: Client, id: string) =>
    (await client.get(`/v1/memories/${id}`)).body.state === 'active';

  it('collects what says the same, of one layer and scope, and shows it to those who see the memories', async () => {
    const { ada, bob, admin, member, first, second, other, cluster } = await clustered();
    expect(cluster).toMatchObject({ space: 'notes', representative: first, resolution: 'manual' });
    expect(cluster.members.map(({ id }: Json) => id).sort()).toEqual([first, second].sort());
    expect(cluster.members[0]).toEqual({ id: first, similarity: 1 });
    expect(await clustersOf(bob, 1, `&memory=${second}&space=notes`)).toEqual([cluster]);
    await clustersOf(bob, 0, `&memory=${other}`);
    await clustersOf(bob, 0, '&space=papers');
    const stranger = await member('eve', ['other']);
    await clustersOf(stranger, 0);
    const path = `/v1/duplicates/${cluster.id}/resolve`;
    expect((await stranger.post(path, { resolution: 'keep_all' })).body).toMatchObject({
      status: 404,
      code: 'not-found',
    });
    // Another place, another space, and exact copies that were kept.
    await store(ada, { layer: 'user', content: pumpAgain });
    await store(ada, { ...team, content: pumpAgain, spaces: [], duplicates: 'keep' });
    await store(ada, { ...team, content: pump, duplicates: 'keep' });
    const [grown] = await vi.waitFor(async () => {
      const found = await clustersOf(admin, 1);
      expect(found[0]!.members).toHaveLength(3);
      return found;
    }, seconds);
    expect(grown!.id).toBe(cluster.id);
  });

  it('keeps one, takes that back, and says what is wrong', async () => {
    const { ada, first, second, other, cluster } = await clustered();
    const resolve = (body: object, headers = {}) =>
      ada.post(`/v1/duplicates/${cluster.id}/resolve`, body, headers);
    expect((await resolve({ resolution: 'merge' })).status).toBe(400);
    expect((await resolve({ resolution: 'keep_representative', representative: other })).body).toMatchObject({
      status: 400,
      errors: [{ path: 'representative' }],
    });
    const key = { 'idempotency-key': 'k' };
    const kept = await resolve({ resolution: 'keep_representative', representative: second }, key);
    expect(kept.body.cluster).toMatchObject({ representative: second, resolution: 'keep_representative' });
    expect(await isActive(ada, first)).toBe(false);
    const { body: history } = await ada.get(`/v1/memories/${first}/history`);
    expect(JSON.stringify(history)).toContain('duplicate');
    expect((await resolve({ resolution: 'keep_all' })).body).toMatchObject({
      status: 409,
      code: 'duplicates-resolved',
    });
    const listed = await ada.get(`/v1/duplicates?state=resolved&minPosition=${kept.body.position}`);
    expect(listed.body.items).toMatchObject([{ id: cluster.id, representative: second }]);
    const undone = await resolve({ resolution: 'manual' });
    expect(undone.body.cluster).toMatchObject({ resolution: 'manual' });
    expect(await isActive(ada, first)).toBe(true);
    // A repetition answers, and deletes nothing again.
    const again = await resolve({ resolution: 'keep_representative', representative: second }, key);
    expect(again.body.cluster).toMatchObject({ resolution: 'keep_representative' });
    expect(await isActive(ada, first)).toBe(true);
    const links = `types=supersedes&minPosition=${undone.body.position}&waitMs=30000`;
    const related = await ada.get(`/v1/memories/${second}/related?${links}`);
    expect(related.body.items).toEqual([]);
  });

  it('keeps all: they do not come back, until a text changes', async () => {
    const { ada, first, second, cluster } = await clustered();
    const kept = await ada.post(`/v1/duplicates/${cluster.id}/resolve`, { resolution: 'keep_all' });
    expect(kept.status).toBe(200);
    const patch = (id: string, body: object) =>
      ada.send('PATCH', `/v1/memories/${id}`, { body, headers: { 'if-match': '*' } });
    expect((await patch(second, { spaces: ['notes', 'more'] })).status).toBe(200);
    const third = await store(ada, { ...team, content: `${pumpAgain} `, duplicates: 'keep' });
    const fresh = await vi.waitFor(async () => {
      const [found] = await clustersOf(ada, 1);
      expect(found!.members.map(({ id }: Json) => id)).toContain(third.id);
      return found;
    }, seconds);
    expect(fresh!.members.map(({ id }: Json) => id)).toHaveLength(2);
    await patch(third.id, { content: otherPump.replace('three', 'nine') });
    await clustersOf(ada, 0);
    expect((await ada.get(`/v1/duplicates?state=resolved&memory=${first}`)).body.items).toHaveLength(1);
  });

  it('forgets what is deleted and erased: a cluster of one is gone', async () => {
    const { ada, admin, second, cluster } = await clustered();
    await ada.delete(`/v1/memories/${second}`, { 'if-match': '*' });
    await clustersOf(ada, 0);
    const gone = await ada.post(`/v1/duplicates/${cluster.id}/resolve`, { resolution: 'keep_all' });
    expect(gone.status).toBe(404);
    await ada.post(`/v1/memories/${second}/restore`, {}, { 'if-match': '*' });
    await clustersOf(ada, 1);
    expect((await admin.delete(`/v1/memories/${second}?mode=erase`)).status).toBeLessThan(300);
    await clustersOf(ada, 0);
  });

  it('[H9] waits for a review, which merges, keeps, and takes back', async () => {
    const { ada, admin, first, second, cluster } = await clustered();
    const id = `duplicate.${cluster.id}`;
    const { body } = await admin.get('/v1/reviews?kind=duplicate');
    expect(body.items).toMatchObject([
      { id, kind: 'duplicate', memory: { id: first }, others: [{ id: second }] },
    ]);
    expect((await ada.post(`/v1/reviews/${id}`, { decision: 'merge' })).status).toBe(403);
    expect((await admin.post(`/v1/reviews/${id}`, { decision: 'approve' })).body).toMatchObject({
      status: 400,
      errors: [{ path: 'decision' }],
    });
    const merged = await admin.post('/v1/reviews/bulk', { ids: [id, 'duplicate.none'], decision: 'merge' });
    expect(merged.body.items).toMatchObject([{ id, status: 200 }, { status: 404 }]);
    expect(await isActive(admin, second)).toBe(false);
    await noReviews(admin);
    const undone = await admin.post(`/v1/reviews/${id}`, { decision: 'undo' });
    expect(undone.body.memory.id).toBe(first);
    expect(await isActive(admin, second)).toBe(true);
    expect((await admin.post(`/v1/reviews/${id}`, { decision: 'keep' })).status).toBe(200);
    await noReviews(admin);
  });
});
