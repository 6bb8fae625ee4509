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
