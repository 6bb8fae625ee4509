import { describe, expect, it } from 'vitest';
import type { Client } from '../support/api.ts';
import { newTenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');

/** What a member learns about others without seeing their memories. */
describe('the words of another person', () => {
  const query = 'zyzzyva orchard';

  /** The score of the member's own memory as of what all have stored. */
  async function scoreFor(client: Client, minPosition: string, asOf?: string): Promise<number> {
    const { status, body } = await client.post('/v1/search', {
      query,
      threshold: 0,
      minPosition,
      waitMs: 30_000,
      ...(asOf !== undefined && { asOf }),
    });
    expect(status).toBe(200);
    return body.results.find(({ memory }: { memory: { tags: string[] } }) => memory.tags.includes('own'))
      .relevance as number;
  }

  it('[I3] change no score if their memory is personal, and do if it is shared', async () => {
    const tenant = await newTenant(server);
    const [alice, bob] = [await tenant.key({ user: 'alice' }), await tenant.key({ user: 'bob' })];
    const own = await alice.store({ content: 'The zyzzyva beetle was seen in the orchard', tags: ['own'] });
    const before = await scoreFor(alice, own.position);
    const seenByAdmin = await scoreFor(tenant.admin, own.position);

    let last = await bob.store({ content: 'A zyzzyva is a weevil' });
    for (const scope of [{ session: 's1' }, { agent: 'helper' }])
      last = await bob.store({
        content: `One more zyzzyva for ${JSON.stringify(scope)}`,
        layer: Object.keys(scope)[0],
        scope: { ...scope, user: 'bob' },
      });
    expect(await scoreFor(alice, last.position)).toBe(before);
    // Positive control: whoever sees all of these memories has them counted.
    expect(await scoreFor(tenant.admin, last.position)).not.toBe(seenByAdmin);

    // Their own memories count for the person, and shared ones for everyone.
    const mine = await alice.store({ content: 'Another zyzzyva, this time in the kitchen' });
    const withOwn = await scoreFor(alice, mine.position);
    expect(withOwn).not.toBe(before);
    const { position } = await tenant.admin.store({ content: 'The zyzzyva poster', layer: 'company' });
    expect(await scoreFor(alice, position)).not.toBe(withOwn);
    // Scores as of a position follow the same rule.
    expect(await scoreFor(alice, position, last.position)).toBe(before);
    expect(await scoreFor(alice, position, mine.position)).toBe(withOwn);
  });
});

describe('an externalId', () => {
  const named = (externalId: string) => `/v1/memories/external/${externalId}`;

  it('[I3] of a personal memory can be used by everyone else, in every way of storing', async () => {
    const tenant = await newTenant(server);
    const [alice, bob] = [
      await tenant.key({ user: 'alice', teams: ['red'] }),
      await tenant.key({ user: 'bob', teams: ['red'] }),
    ];
    const mine = await alice.store({ content: 'what I owe', externalId: 'debts' });
    await alice.store({
      content: 'what I said',
      externalId: 'talk',
      layer: 'session',
      scope: { session: 's' },
    });

    const theirs = await bob.put(named('debts'), { content: 'nothing' });
    expect(theirs.status).toBe(201);
    const lines = await bob.bulk([
      { content: 'again', externalId: 'debts', upsert: true },
      { content: 'once more', externalId: 'debts' },
      { content: 'something', externalId: 'talk' },
      { content: 'of the team', externalId: 'talk', layer: 'team', scope: { team: 'red' } },
    ]);
    // The third is Bob's own by then, so that the fourth would be taken for it.
    expect(lines.map(({ status }: { status: number }) => status)).toEqual([200, 409, 201, 409]);
    expect(lines[1].problem.memoryId).toBe(theirs.body.memory.id);
    const shared = { content: 'of the team', layer: 'team', scope: { team: 'red' } };
    expect((await tenant.admin.put(named('debts'), shared)).status).toBe(201);

    // Each finds its own again, and lists both that it sees.
    const changed = await alice.put(named('debts'), { content: 'what I owe now' });
    expect([changed.status, changed.body.memory.id]).toEqual([200, mine.memory.id]);
    const listed = await alice.get(`/v1/memories?externalId=debts&minPosition=${changed.body.position}`);
    expect(listed.body.items.map(({ layer }: { layer: string }) => layer).sort()).toEqual(['team', 'user']);
    expect((await alice.put(named('debts'), { ...shared, content: 'of us' })).status).toBe(200);
  });

  it('[I3] of a shared memory that the caller cannot see is refused without its id', async () => {
    const tenant = await newTenant(server);
    const shared = { content: 'the plan', layer: 'team', scope: { team: 'red' }, externalId: 'plan' };
    const { memory } = await tenant.admin.store(shared);
    const eve = await tenant.key({ user: 'eve', teams: ['blue'] });
    const refused = await eve.post('/v1/memories', { ...shared, scope: { team: 'blue' } });
    expect([refused.status, refused.body.code]).toEqual([409, 'external-id-taken']);
    expect(JSON.stringify(refused.body)).not.toContain(memory.id);
    expect((await eve.post('/v1/memories', { content: 'my plan', externalId: 'plan' })).status).toBe(201);
    // Who sees it is told which one it is, and PUT means that one.
    const fay = await tenant.key({ user: 'fay', teams: ['red'] });
    const seen = await fay.post('/v1/memories', { content: 'my plan', externalId: 'plan' });
    expect([seen.status, seen.body.memoryId]).toEqual([409, memory.id]);
    const put = await fay.put(named('plan'), { content: 'my plan' });
    expect([put.status, put.body.errors]).toMatchObject([400, [{ path: 'layer' }]]);
  });
});

it('[I2] an operator sees figures of the tenant and no name of a space', async () => {
  const tenant = await newTenant(server);
  const { position } = await tenant.admin.store({ content: 'a plan', spaces: ['merger'] });
  const statsOf = async (role: string) =>
    (await (await tenant.key({ role })).get(`/v1/stats?minPosition=${position}&waitMs=30000`)).body;
  expect(await statsOf('operator')).toMatchObject({ coverage: 'tenant', total: { active: 1 }, spaces: [] });
  expect((await statsOf('auditor')).spaces).toMatchObject([{ space: 'merger', active: 1 }]);
});
