import { beforeAll, describe, expect, it } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { newAdmin } from '../support/tenant.ts';
import { scoreOf } from '../../src/domain/ranking/score-scale.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer();

const everything = { threshold: 0, topK: 1000 };

async function search(client: Client, body: Record<string, unknown>): Promise<Json> {
  const reply = await client.post('/v1/search', { waitMs: 30_000, ...body });
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  return reply.body;
}

/** Stores all memories and returns the position that covers them. */
async function storeAll(client: Client, memories: readonly Record<string, unknown>[]): Promise<string> {
  const lines = await client.bulk(memories);
  expect(lines.map(({ status }) => status)).toEqual(memories.map(() => 201));
  return lines.at(-1)!.position;
}

const namesOf = (answer: Json): string[] => answer.results.map(({ memory }: Json) => memory.externalId);
const scoresOf = (answer: Json): number[] => answer.results.map(({ score }: Json) => score);

describe('the answer of a search', () => {
  const endpoint = 'The login endpoint of the billing service is POST /v2/sessions';

  it('[A5] has results with memory, score, relevance and rank, a search id, a position and warnings, and nothing else', async () => {
    const client = await newAdmin(server);
    const { memory, position } = await client.store({
      content: endpoint,
      metadata: { area: 'auth' },
      tags: ['api'],
    });
    const answer = await search(client, { query: endpoint, minPosition: position });
    expect(Object.keys(answer).sort()).toEqual(['position', 'results', 'searchId', 'warnings']);
    expect(answer.warnings).toEqual([]);
    expect(answer.searchId).toMatch(/^\S{20,}$/);
    expect(answer.results).toHaveLength(1);
    const [{ memory: found, score, relevance, rank, ...rest }] = answer.results;
    expect(rest).toEqual({});
    expect(score).toBeCloseTo(scoreOf(relevance), 12);
    expect(rank).toBe(1);
    expect(score).toBeGreaterThanOrEqual(0.7);
    expect(score).toBeLessThanOrEqual(1);
    expect(found).toEqual(memory);
    const again = await search(client, { query: 'anything', minPosition: answer.position });
    expect(again.position).toBeTruthy();
  });

  it('[D8] has the same form and memories with mode=standard', async () => {
    const client = await newAdmin(server);
    const { position } = await client.store({ content: endpoint });
    const query = { query: 'compare login endpoints across all teams', minPosition: position, ...everything };
    const [plain, standard] = [
      await search(client, query),
      await search(client, { ...query, mode: 'standard' }),
    ];
    expect(Object.keys(standard).sort()).toEqual(Object.keys(plain).sort());
    const idsOf = ({ results }: Json) => results.map(({ memory }: Json) => memory.id);
    expect(idsOf(standard)).toEqual(idsOf(plain));
  });

  it('[A5] uses topK 10, threshold 0.7 and order=precedence by default', async () => {
    const client = await newAdmin(server);
    const memories = Array.from({ length: 12 }, (_, number) => ({
      externalId: `m${number}`,
      content: `${endpoint}, as seen in region ${number}`,
      ...(number % 2 === 0 ? {} : { layer: 'company' }),
    }));
    const minPosition = await storeAll(client, [
      ...memories,
      { externalId: 'weak', content: 'The canteen serves lentil soup on Mondays' },
    ]);
    const bare = await search(client, { query: endpoint, minPosition });
    expect(bare.results).toHaveLength(10);
    expect(Math.min(...scoresOf(bare))).toBeGreaterThanOrEqual(0.7);
    const said = { query: endpoint, topK: 10, threshold: 0.7, order: 'precedence', minPosition };
    expect(namesOf(await search(client, said))).toEqual(namesOf(bare));
    expect(namesOf(await search(client, { query: endpoint, topK: 1000, minPosition }))).not.toContain('weak');
    expect(namesOf(await search(client, { query: endpoint, ...everything, minPosition }))).toContain('weak');
  });
});

describe('threshold, topK and order', () => {
  let client: Client;
  let minPosition: string;
  const query = 'How do we rotate the signing keys of the token service?';

  beforeAll(async () => {
    client = await newAdmin(server);
    const scope = {
      agent: 'a1',
      session: 's1',
      project: 'p1',
      team: 't1',
      org: 'o1',
    };
    minPosition = await storeAll(client, [
      {
        externalId: 'company',
        layer: 'company',
        content: 'How we rotate the signing keys of the token service',
      },
      {
        externalId: 'org',
        layer: 'org',
        scope,
        content: 'Signing keys of the token service are rotated monthly',
      },
      { externalId: 'team', layer: 'team', scope, content: 'The token service has an on-call rotation' },
      { externalId: 'project', layer: 'project', scope, content: 'The project key store lies in the vault' },
      {
        externalId: 'session',
        layer: 'session',
        scope,
        content: 'We spoke about tokens and keys this morning',
      },
      { externalId: 'user', layer: 'user', content: 'Ada wants keys rotated by a script' },
      { externalId: 'user-2', layer: 'user', content: 'Ada has lunch at noon' },
      { externalId: 'agent', layer: 'agent', scope, content: 'I prefer to answer in short sentences' },
    ]);
  });

  it('[A7] applies the threshold exactly', async () => {
    const all = await search(client, { query, ...everything, minPosition });
    expect(all.results).toHaveLength(8);
    for (const { memory, score } of all.results) {
      const at = await search(client, { query, topK: 1000, threshold: score, minPosition });
      expect(Math.min(...scoresOf(at))).toBe(score);
      expect(at.results).toHaveLength(scoresOf(all).filter((other) => other >= score).length);
      const above = await search(client, { query, topK: 1000, threshold: score + 1e-12, minPosition });
      expect(namesOf(above)).not.toContain(memory.externalId);
    }
    expect((await search(client, { query, threshold: 1, minPosition })).results).toEqual([]);
  });

  it('[D4] order=layer takes the best topK by score, then sorts them by layer and score', async () => {
    const all = await search(client, { query, ...everything, order: 'layer', minPosition });
    const layers = ['agent', 'user', 'session', 'project', 'team', 'org', 'company'];
    expect(all.results.map(({ memory }: Json) => memory.layer)).toEqual([
      'agent',
      'user',
      ...layers.slice(1),
    ]);
    const ofUser = all.results.filter(({ memory }: Json) => memory.layer === 'user');
    expect(ofUser[0].score).toBeGreaterThan(ofUser[1].score);

    const byScore = [...all.results].sort((left: Json, right: Json) => right.score - left.score);
    for (const topK of [1, 3, 5]) {
      const some = await search(client, { query, threshold: 0, topK, order: 'layer', minPosition });
      const best = byScore.slice(0, topK).map(({ memory }: Json) => memory.externalId);
      expect(new Set(namesOf(some))).toEqual(new Set(best));
      const precedence = some.results.map(({ memory }: Json) => layers.indexOf(memory.layer));
      expect(precedence).toEqual([...precedence].sort((left, right) => left - right));
    }
  });

  it('[D4] order=relevance sorts by score only, and ranks count the returned order from 1', async () => {
    const answer = await search(client, { query, ...everything, order: 'relevance', minPosition });
    expect(scoresOf(answer)).toEqual([...scoresOf(answer)].sort((left, right) => right - left));
    expect(namesOf(answer)[0]).toBe('company');
    for (const order of ['relevance', 'precedence', 'layer']) {
      const { results } = await search(client, { query, ...everything, order, minPosition });
      expect(results.map(({ rank }: Json) => rank)).toEqual(
        results.map((_: Json, index: number) => index + 1),
      );
    }
  });

  it('[D3] the score of a memory does not depend on the other parameters', async () => {
    const all = await search(client, { query, ...everything, minPosition });
    const score = new Map(all.results.map(({ memory, score }: Json) => [memory.externalId, score]));
    for (const narrowed of [
      { topK: 2 },
      { layers: ['user'] },
      { order: 'relevance' },
      { scope: { user: 'ada' } },
    ]) {
      const some = await search(client, { query, ...everything, ...narrowed, minPosition });
      expect(some.results.length).toBeGreaterThan(0);
      for (const result of some.results) expect(result.score).toBe(score.get(result.memory.externalId));
    }
  });

  it('[A7] searches only the requested layers', async () => {
    const answer = await search(client, { query, ...everything, layers: ['org', 'agent'], minPosition });
    expect(namesOf(answer).sort()).toEqual(['agent', 'org']);
  });
});

describe('spaces, tags and filter in a search', () => {
  it('[A5] any space, any tag, and all filter conditions must match together', async () => {
    const client = await newAdmin(server);
    const content = 'Deployments of the search cluster happen on Tuesdays';
    const minPosition = await storeAll(client, [
      { externalId: 'ab', content, spaces: ['a', 'b'], tags: ['x'], metadata: { level: 1 } },
      { externalId: 'b', content, spaces: ['b'], tags: ['y'], metadata: { level: 2 } },
      { externalId: 'c', content, spaces: ['c'], tags: ['x', 'y'], metadata: { level: 3 } },
      { externalId: 'none', content },
    ]);
    const found = async (conditions: object) =>
      namesOf(await search(client, { query: content, minPosition, ...conditions })).sort();
    expect(await found({})).toEqual(['ab', 'b', 'c', 'none']);
    expect(await found({ spaces: ['a'] })).toEqual(['ab']);
    expect(await found({ spaces: ['a', 'c'] })).toEqual(['ab', 'c']);
    expect(await found({ tags: ['x'] })).toEqual(['ab', 'c']);
    expect(await found({ tags: ['x', 'y'] })).toEqual(['ab', 'b', 'c']);
    expect(await found({ spaces: ['b'], tags: ['y'] })).toEqual(['b']);
    expect(await found({ spaces: ['b', 'c'], filter: { 'metadata.level': { gte: 2 } } })).toEqual(['b', 'c']);
    expect(await found({ spaces: ['A'] })).toEqual([]);
    expect(await found({ spaces: ['b'], tags: ['nothing has it'] })).toEqual([]);
  });

  it('[A8] finds the matches of a selective filter among many better-matching memories', async () => {
    const client = await newAdmin(server);
    const crowd = Array.from({ length: 300 }, (_, number) => ({
      externalId: `crowd-${number}`,
      content: `Retry budget of the payment gateway, note ${number}`,
    }));
    const needle = {
      externalId: 'needle',
      content: 'The gateway for payments retries',
      metadata: { needle: true },
    };
    const minPosition = await storeAll(client, [...crowd, needle]);
    const query = {
      query: 'Retry budget of the payment gateway',
      threshold: 0,
      topK: 5,
      minPosition,
      waitMs: 30_000,
    };
    expect(namesOf(await search(client, query))).not.toContain('needle');
    expect(namesOf(await search(client, { ...query, filter: { 'metadata.needle': { eq: true } } }))).toEqual([
      'needle',
    ]);
    const many = await search(client, { ...query, topK: 1000 });
    expect(many.results).toHaveLength(301);
  });
});
