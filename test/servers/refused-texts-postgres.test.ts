import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deterministicEmbedder } from '../../src/adapters/deterministic/embedder.ts';
import { clientOf, clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { ApiProcesses } from '../support/api-processes.ts';
import { postgresPrograms, PrivatePostgres } from '../support/private-postgres.ts';
import { json } from '../support/scripted-endpoint.ts';
import { scriptedEmbeddings, type ScriptedEmbeddings } from '../support/scripted-embeddings.ts';

const programs = postgresPrograms();
const patience = { timeout: 60_000, interval: 100 };
const words = deterministicEmbedder({ dimension: 32 });

describe.runIf(programs)('a text that an endpoint does not embed, and two processes', () => {
  let endpoint: ScriptedEmbeddings;
  let postgres: PrivatePostgres;
  let processes: ApiProcesses;

  beforeAll(async () => {
    endpoint = await scriptedEmbeddings(32);
    postgres = await PrivatePostgres.start(programs!);
    processes = await ApiProcesses.start(postgres, 2, {
      STRATALOG_EMBEDDER: 'openai',
      STRATALOG_EMBEDDING_BASE_URL: endpoint.baseURL,
      STRATALOG_EMBEDDING_MODEL: 'tiny',
      STRATALOG_EMBEDDING_DIMENSION: '32',
    });
  }, 300_000);

  afterAll(async () => {
    await processes?.remove();
    await postgres?.remove();
    await endpoint?.close();
  });

  it('[H4] both see what waits, and the one that is left embeds it once the endpoint can', async () => {
    endpoint.always(async ({ input }, response) => {
      if (input.some((text) => text.includes('Bane'))) return json(response, 500, {});
      const made = await words.embed(input, 'passage');
      json(response, 200, { data: made.map((v, index) => ({ index, embedding: [...v] })) });
    });
    const tenant = freshTenant();
    const [one, two] = processes.servers;
    const admin = await clientWithKey(one!, { tenant, role: 'admin', user: 'ada' });
    const other = clientOf(two!, admin.key);
    const operators = await Promise.all(
      [one!, two!].map((server) => clientWithKey(server, { tenant, role: 'operator' })),
    );
    const lines = await admin.bulk(
      ['The heron stands in the reeds', 'Bane of the day', 'The otter dives'].map((content) => ({ content })),
    );
    const search = async (client: Client) => {
      const request = { query: 'heron', threshold: 0, minPosition: lines.at(-1)!.position, waitMs: 30_000 };
      const { body } = await client.post('/v1/search', request);
      return { codes: body.warnings?.map(({ code }: Json) => code), best: body.results?.[0].memory.content };
    };
    const parkedBy = async (operator: Client): Promise<Json[]> =>
      (await operator.get('/v1/admin/projections')).body.items.find(({ name }: Json) => name === 'vectors')
        .parked;
    for (const client of [admin, other])
      expect(await search(client)).toEqual({ codes: ['partial'], best: 'The heron stands in the reeds' });
    for (const operator of operators)
      expect(await parkedBy(operator)).toMatchObject([
        { stream: `memory-${tenant}.${lines[1]!.id}`, type: 'MemoryStored' },
      ]);

    // Whichever has embedded it so far, the other one can.
    await one!.stop('SIGKILL');
    endpoint.always();
    await expect.poll(async () => (await search(other)).codes, patience).toEqual([]);
    expect(await parkedBy(operators[1]!)).toEqual([]);
  }, 300_000);
});
