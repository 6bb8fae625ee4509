import { describe, expect, it } from 'vitest';
import { clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { newAdmin } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer();

const scope = { org: 'o1', team: 't1', project: 'p1', session: 's1', agent: 'a1' };
const policy =
  'Every change to the production database needs a second pair of eyes and a written rollback plan';

async function names(client: Client, memories: readonly object[], body: object = {}): Promise<string[]> {
  const lines = await client.bulk(memories);
  expect(lines.map(({ status }) => status)).toEqual(memories.map(() => 201));
  const reply = await client.post('/v1/search', {
    query: policy,
    threshold: 0,
    topK: 1000,
    minPosition: lines.at(-1)!.position,
    waitMs: 30_000,
    ...body,
  });
  return reply.body.results.map(({ memory }: Json) => memory.externalId);
}

/** `count` distinct words, the last `changed` of them different: each changed word at the end costs one 3-shingle. */
function words(count: number, changed = 0): string {
  return Array.from({ length: count }, (_, index) =>
    index < count - changed ? `production${index}` : `staging${index}`,
  ).join(' ');
}

describe('near-duplicates', () => {
  it('[A6] keep the copy in the most specific layer', async () => {
    const layers = ['company', 'org', 'team', 'project', 'session', 'user', 'agent'];
    const memories = layers.map((layer) => ({ externalId: layer, layer, scope, content: policy }));
    expect(await names(await newAdmin(server), memories)).toEqual(['agent']);
  });

  it('[A6] keep the more specific copy in every pair of adjacent layers', async () => {
    const layers = ['agent', 'user', 'session', 'project', 'team', 'org', 'company'];
    for (const [index, specific] of layers.slice(0, -1).entries()) {
      const general = layers[index + 1]!;
      const memories = [general, specific].map((layer) => ({
        externalId: layer,
        layer,
        scope,
        content: policy,
      }));
      expect(await names(await newAdmin(server), memories)).toEqual([specific]);
    }
  });

  it('[A6] do not drop a text crafted to have the hashes of another', async () => {
    // The two words have the same 32-bit FNV-1a hash.
    const memories = [
      { externalId: 'policy', layer: 'company', scope, content: `${policy} and liquid funds` },
      { externalId: 'made', layer: 'user', scope, content: `${policy} and costarring funds` },
    ];
    const shown = await names(await newAdmin(server), memories);
    expect(new Set(shown)).toEqual(new Set(['policy', 'made']));
  });

  it('[A6] find the most specific copy behind more copies than the first batch holds', async () => {
    const copies = Array.from({ length: 40 }, (_, n) => ({
      externalId: `copy ${n}`,
      layer: 'company',
      content: policy,
    }));
    const own = { externalId: 'own', layer: 'user', content: policy };
    const query = 'Which database plan is for yesterday?';
    // Equal scores keep the order in which the engines returned them.
    for (const before of [0, 10, 20, 30, 40]) {
      const memories = [...copies.slice(0, before), own, ...copies.slice(before)];
      expect(await names(await newAdmin(server), memories, { query, topK: 1 }), `${before}`).toEqual(['own']);
    }
  });

  it('[A6] ignore case, punctuation and white space', async () => {
    const memories = [
      { externalId: 'user', content: policy },
      {
        externalId: 'company',
        layer: 'company',
        content: `  ${policy.toUpperCase().replaceAll(' ', ',\n')}!`,
      },
    ];
    expect(await names(await newAdmin(server), memories)).toEqual(['user']);
  });

  it('[A6] are never dropped within one layer', async () => {
    const memories = [
      { externalId: 'one', content: policy },
      { externalId: 'two', content: policy },
      { externalId: 'three', layer: 'company', content: policy },
      { externalId: 'four', layer: 'company', content: policy },
    ];
    expect((await names(await newAdmin(server), memories)).sort()).toEqual(['one', 'two']);
  });

  it('[A6] keep the more general copy if the more specific one is not searched or not visible', async () => {
    const tenant = freshTenant();
    const admin = await clientWithKey(server, { tenant, role: 'admin', user: 'ada' });
    const memories = [
      { externalId: 'user', content: policy },
      { externalId: 'company', layer: 'company', content: policy },
    ];
    expect(await names(admin, memories, { layers: ['company', 'team'] })).toEqual(['company']);
    const other = await clientWithKey(server, { tenant, role: 'member', user: 'bob' });
    const reply = await other.post('/v1/search', { query: policy });
    expect(reply.body.results.map(({ memory }: Json) => memory.externalId)).toEqual(['company']);
  });

  it('[A6] keep the more general copy if the more specific one is below the threshold', async () => {
    const client = await newAdmin(server);
    // Near-duplicates of which only the general one contains the searched word.
    const memories = [
      { externalId: 'user', content: words(82, 1) },
      { externalId: 'company', layer: 'company', content: words(82) },
    ];
    const lines = await client.bulk(memories);
    const minPosition = lines.at(-1)!.position;
    // The second query is decomposed: the threshold is applied only after its searches are merged.
    for (const query of ['production81', 'compare all production81']) {
      const found = async (body: object): Promise<[string, number][]> => {
        const request = { query, threshold: 0, minPosition, waitMs: 30_000, ...body };
        const reply = await client.post('/v1/search', request);
        return reply.body.results.map(({ memory, score }: Json) => [memory.externalId, score]);
      };
      const [[, general]] = (await found({ layers: ['company'] })) as [[string, number]];
      const [[, specific]] = (await found({ layers: ['user'] })) as [[string, number]];
      expect(general).toBeGreaterThan(specific);
      expect(await found({ threshold: specific })).toEqual([['user', specific]]);
      expect(await found({ threshold: (specific + general) / 2 })).toEqual([['company', general]]);
    }
  });

  it('[A6] keep the more general copy if a tag excludes the more specific one', async () => {
    const client = await newAdmin(server);
    const memories = [
      { externalId: 'user', content: policy, tags: ['hidden'] },
      { externalId: 'company', layer: 'company', content: policy, tags: ['shown'] },
    ];
    expect(await names(client, memories, { tags: ['shown'] })).toEqual(['company']);
  });

  it('[A6] are dropped from a word 3-shingle similarity of .95 upwards, and not below it', async () => {
    // n words have n − 2 shingles; k changed words at the end leave n − 2 − k shared of n − 2 + k in total.
    const near = [
      { externalId: 'user', content: words(82) },
      { externalId: 'company', layer: 'company', content: words(82, 1) }, // 79 / 81 = .975
    ];
    const body = { query: 'production1 production2 production3', order: 'layer' };
    expect(await names(await newAdmin(server), near, body)).toEqual(['user']);
    const exact = [
      { externalId: 'user', content: words(41) },
      { externalId: 'company', layer: 'company', content: words(41, 1) }, // 38 / 40 = .95
    ];
    expect(await names(await newAdmin(server), exact, body)).toEqual(['user']);
    const far = [
      { externalId: 'user', content: words(40) },
      { externalId: 'company', layer: 'company', content: words(40, 1) }, // 37 / 39 = .949
    ];
    expect(await names(await newAdmin(server), far, body)).toEqual(['user', 'company']);
  });

  it('[A6] keep paraphrases', async () => {
    const memories = [
      { externalId: 'user', content: policy },
      {
        externalId: 'company',
        layer: 'company',
        content:
          'Before anyone alters the live database, a colleague reviews it and a way back is written down',
      },
    ];
    expect(await names(await newAdmin(server), memories)).toEqual(['user', 'company']);
  });

  it('[A6] are dropped before topK is filled', async () => {
    const copies = ['agent', 'user', 'session', 'team'].map((layer) => ({
      externalId: layer,
      layer,
      scope,
      content: policy,
    }));
    const other = {
      externalId: 'other',
      layer: 'company',
      content: 'A rollback plan for the database is short',
    };
    expect(await names(await newAdmin(server), [...copies, other], { topK: 2 })).toEqual(['agent', 'other']);
  });

  const copies = (count: number, layer = 'company') =>
    Array.from({ length: count }, (_, index) => ({ externalId: `${layer}${index}`, layer, content: policy }));
  const others = Array.from({ length: 12 }, (_, index) => ({
    externalId: `other${index}`,
    layer: 'company',
    content: `Change ${index} to the production database was reviewed by team ${index}`,
  }));
  const own = { externalId: 'own', content: policy };

  it.each([
    ['the one kept was stored first', [own, ...copies(220), ...others]],
    ['the one kept was stored last', [...copies(220), ...others, own]],
  ])('[A6] 220 copies take no place of topK: %s', async (_, memories) => {
    const client = await newAdmin(server);
    const found = await names(client, memories, { topK: 10 });
    expect(found).toHaveLength(10);
    expect(found.filter((name) => name.startsWith('company'))).toEqual([]);
    expect(found).toContain('own');
    const { body } = await client.post('/v1/search', { query: policy, threshold: 0, asOf: new Date() });
    expect(body.results.map(({ memory }: Json) => memory.externalId)).toEqual(found);
  });
});
