import { afterAll, expect, it } from 'vitest';
import { clientOf, clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { stratalog, stratalogAs } from '../support/cli.ts';
import { startServer, testProfile, type TestServer } from '../support/server.ts';

const notes: Readonly<Record<string, string>> = {
  leave: '연차 휴가는 최소 일주일 전에 팀장에게 신청해야 합니다.',
  maintenance: '服务器维护窗口为每周三凌晨两点。',
  salaries: 'تُدفع الرواتب في آخر يوم من الشهر.',
  backup: 'データベースのバックアップは毎日深夜に実行されます。',
  parking: 'Der Parkplatz ist im zweiten Untergeschoss, und das Tor schließt um zehn.',
  key: 'המפתח למחסן נמצא אצל השומר בכניסה.',
  printer: 'Le photocopieur est dans le couloir du troisième étage avec les imprimantes.',
};
const model = 'multilingual-e5-small';
const bge = 'bge-small-en-v1.5-int8-6c9c6101';
/** The read models that embed texts. */
const embedding = ['vectors', 'feedback', 'summaries', 'traces'];
let server: TestServer;
let client: Client;

afterAll(() => server?.remove());

async function restarted(environment: Record<string, string> = {}): Promise<void> {
  await server.stop();
  server = await startServer({
    dataDir: server.dataDir,
    environment: { ...server.environment, ...environment },
  });
  client = clientOf(server, client.key!);
}

async function firstOf(query: string): Promise<string | undefined> {
  const { body } = await client.post('/v1/search', {
    query,
    threshold: 0,
    order: 'relevance',
    waitMs: 30_000,
  });
  return body.results[0]?.memory.externalId;
}

/** The models of the live read models that have vectors. */
async function models(): Promise<Record<string, string>> {
  const { body } = await client.get('/v1/admin/projections');
  const live = body.items.map(({ name, generations }: Json) => [
    name,
    generations.find(({ active }: Json) => active).signature.split('/')[1],
  ]);
  return Object.fromEntries(live.filter(([name]: string[]) => embedding.includes(name!)));
}

// The other profiles have no data folder.
it.skipIf(testProfile !== 'embedded')(
  '[A4] [A18] [H4] a folder keeps its model, is advised to change it for texts in other languages, and changes',
  async () => {
    server = await startServer({
      environment: { STRATALOG_PROFILE: testProfile, STRATALOG_EMBEDDING_MODEL: 'bge-small-en-v1.5' },
    });
    client = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });
    const bodies = Object.entries(notes).map(([externalId, content]) => ({ externalId, content }));
    const stored = await client.bulk(bodies);
    await client.post('/v1/search', {
      query: 'key',
      minPosition: stored.at(-1)!['position'],
      waitMs: 30_000,
    });
    expect(server.log.join('\n')).not.toContain(model);

    // The next start looks at the texts, and so does doctor.
    await server.stop();
    const { stdout } = await stratalog(['doctor', '--data', server.dataDir], server.environment);
    expect(stdout).toMatch(
      /ok\s+languages\s+\d+ % of the memories are not in English.*rebuild --embedder multilingual/,
    );
    expect(stdout).toMatch(/ok\s+model\s+bge-small-en-v1\.5/);
    // The default and the setting are for new folders: this one keeps its model until it is changed.
    await restarted({ STRATALOG_EMBEDDING_MODEL: '' });
    expect(await models()).toEqual(Object.fromEntries(embedding.map((name) => [name, bge])));
    expect(server.log.join('\n')).not.toContain('made by another model');
    await restarted({ STRATALOG_EMBEDDING_MODEL: model });
    expect(server.log.join('\n')).toMatch(/\d+ % of the memories are not in English/);
    expect(await models()).toMatchObject({ vectors: bge });
    const { json } = await stratalogAs(
      server,
      client,
      'projections',
      'rebuild',
      '--embedder',
      model,
      '--switch',
      '--json',
    );
    expect(json).toMatchObject({ switched: true });
    await restarted({ STRATALOG_EMBEDDING_MODEL: '' });
    expect(await models()).toMatchObject({ vectors: expect.stringContaining(model) });
    expect(server.log.join('\n')).not.toContain('are not in English');
    const questions: readonly (readonly [query: string, answer: string])[] = [
      ['How far ahead must vacation be requested?', 'leave'],
      ['When are salaries paid?', 'salaries'],
      ['Where is the parking lot?', 'parking'],
    ];
    for (const [query, answer] of questions) expect(await firstOf(query)).toBe(answer);

    // Relevance means about the same as with the other model: an answer in another language is shown without a threshold.
    const { body } = await client.post('/v1/search', { query: 'When are salaries paid?' });
    expect(body.results.map(({ memory }: Json) => memory.externalId)).toContain('salaries');
  },
  240_000,
);
