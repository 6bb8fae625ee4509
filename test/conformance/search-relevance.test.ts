import { describe, expect, it } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { newAdmin } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('multilingual');

/** The score of a tenant's only memory for a query. */
async function scoreAlone(content: string, query: string): Promise<number> {
  const client = await newAdmin(server);
  const { position: minPosition } = await client.store({ content });
  const { body } = await client.post('/v1/search', { query, threshold: 0, minPosition, waitMs: 30_000 });
  expect(body.results).toHaveLength(1);
  return body.results[0].score;
}

async function found(client: Client, query: string, minPosition: string): Promise<string[]> {
  const { body } = await client.post('/v1/search', { query, minPosition, waitMs: 30_000 });
  return body.results.map(({ memory }: Json) => memory.externalId ?? memory.id);
}

const prose =
  'In the spring of last year the platform group moved its nightly batch jobs from the old scheduler to a queue, ' +
  'because the scheduler lost jobs whenever a machine restarted; since then every job writes a receipt. ';

describe('a tenant with one memory', () => {
  it.each([
    ['a sentence', 'We chose PostgreSQL for the billing service in March.'],
    ['three words', 'Ada likes tea'],
    ['one word', 'Kubernetes'],
    ['a question', 'What database does the API team use?'],
    ['only stop words', 'to be or not to be'],
    ['one stop word', 'What?'],
    ['a tag', '<b>'],
    ['a ligature', 'ﬁ'],
    ['an identifier', 'src/http/routes/search.ts KEP-2313 v1.27.4'],
    ['code', 'export const add = (a: number, b: number): number => a + b;'],
    ['German', 'Die Anmeldung läuft über den zentralen Dienst für Konten.'],
    ['Chinese', '登录接口使用 POST 方法，令牌一小时后过期。'],
    ['Japanese', 'ログインのエンドポイントはセッションを返します。'],
    ['Arabic', 'ينتهي رمز الدخول بعد ساعة واحدة.'],
    ['emoji', 'Ship it 🚀🚀 on Friday 🎉'],
    ['only punctuation', '!!! ??? --> $$$'],
    ['a rule', '---'],
    ['an arrow', '→'],
    ['a full stop', '.'],
    ['decomposed accents', 'Cafe\u0301 meeting with Zoe\u0308'],
    ['a page', prose.repeat(10)],
    ['more text than the model reads', prose.repeat(90)],
  ])('[A5] finds %s by its own words with a score of at least .7', async (_, content) => {
    expect(await scoreAlone(content, content.trim().slice(0, 20_000))).toBeGreaterThanOrEqual(0.7);
  });

  it.each([
    ['in lower case without a full stop', 'we chose postgresql for the billing service in march'],
    ['with an extra article', 'We chose the PostgreSQL for the billing service in March.'],
    ['with an inflected word', 'We choose PostgreSQL for the billing services in March.'],
    ['with one word changed', 'We picked PostgreSQL for the billing service in March.'],
    ['with extra white space', '  We chose   PostgreSQL\nfor the billing service in March. '],
  ])('[A5] finds near-verbatim text, %s, with a score of at least .7', async (_, query) => {
    const content = 'We chose PostgreSQL for the billing service in March.';
    expect(await scoreAlone(content, query)).toBeGreaterThanOrEqual(0.7);
  });

  it.each([
    ['a stop word with punctuation', 'The', 'The!'],
    ['a stop word next to a word', 'a b', 'a b!'],
    ['an emoji with punctuation', '🙂', '🙂!'],
    ['a repeated letter', 'x'.repeat(24), `${'x'.repeat(24)}.`],
    ['a long word in upper case', 'x'.repeat(500), `${'X'.repeat(500)}!`],
    ['a missing accent', 'Zoë', 'Zoe?'],
    ['repeated punctuation', '--- !', '- !!!'],
  ])(
    '[A5] finds the same words with different characters, %s, with a score of at least .7',
    async (_, content, query) => {
      expect(await scoreAlone(content, query)).toBeGreaterThanOrEqual(0.7);
    },
  );

  it.each([
    ['a different subject', 'How long does sourdough bread have to rise?'],
    ['a different subject with one word in common', 'Which service repairs a washing machine?'],
    ['meaningless words', 'xqzv bprk wlmt'],
  ])('[A5] [D3] does not answer an unrelated question: %s', async (_, query) => {
    const content = 'We chose PostgreSQL for the billing service in March.';
    const client = await newAdmin(server);
    const { position } = await client.store({ content });
    const { body } = await client.post('/v1/search', { query, minPosition: position, waitMs: 30_000 });
    expect(body).toMatchObject({ results: [], warnings: [{ code: 'below-threshold' }] });
    expect(body.warnings[0].detail).toMatch(/1 memory was left out, the best with a score of \.?\d/);
    expect(await scoreAlone(content, query)).toBeLessThan(0.73);
  });

  it.each([
    ['Which database did we choose for billing?'],
    ['What does the billing service run on?'],
    ['PostgreSQL'],
    ['billing database'],
  ])('[A5] [D3] answers a related question without a threshold: %s', async (query) => {
    const client = await newAdmin(server);
    const content = 'We chose PostgreSQL for the billing service in March.';
    const lines = await client.bulk([
      { content },
      { content: 'The new office in Graz opens on 4 November.' },
      { content: 'Lunch on Fridays is paid by the company.' },
    ]);
    const minPosition = lines.at(-1)!.position;
    const { body } = await client.post('/v1/search', { query, minPosition, waitMs: 30_000 });
    expect(body.results[0]?.memory.content, JSON.stringify(body)).toBe(content);
    for (const { score } of body.results) expect(score).toBeGreaterThanOrEqual(0.7);
  });
});

describe('a question without words', () => {
  const notes = [
    'The spare key hangs behind the blue door.',
    'We chose PostgreSQL for the billing service.',
    'The new office in Graz opens in November.',
    'Lunch on Fridays is paid by the company.',
    'Elena prefers trains over planes.',
    'The printer needs magenta toner.',
    'The canteen is closed on public holidays.',
    'Backups of the wiki are made every night.',
    'Ada leads the platform team.',
    'Invoices are sent on the last day of the month.',
    '我的猫叫小白，它喜欢睡在窗边。',
    'バックアップは毎日深夜に実行されます。',
    'Ключ от склада лежит у охранника.',
  ];

  it('[A5] [E8] finds nothing, although there are texts that the model cannot read, unless it is their text', async () => {
    const client = await newAdmin(server);
    const lines = await client.bulk(notes.map((content) => ({ content })));
    const waiting = { minPosition: lines.at(-1)!.position, waitMs: 30_000 };
    for (const query of ['👍', '🙂', '???', '?', '...', '-', 'a', '1', '<br>']) {
      const { body } = await client.post('/v1/search', { query, ...waiting });
      expect(body, query).toMatchObject({ results: [], warnings: [{ code: 'below-threshold' }] });
      const { body: context } = await client.post('/v1/context', { query, tokenBudget: 200, ...waiting });
      expect(context, query).toMatchObject({ text: '', items: [] });
    }
    const more = ['👍', 'C++', '42', 'The meeting room is 1.07.'];
    const stored = await client.bulk(more.map((content) => ({ content })));
    const { position: minPosition } = stored.at(-1)!;
    for (const [query, content] of [...more.slice(0, 3).map((same) => [same, same]), ['1.07', more[3]!]]) {
      const { body } = await client.post('/v1/search', { query, ...waiting, minPosition });
      expect(
        body.results.map(({ memory }: Json) => memory.content),
        query,
      ).toEqual([content]);
    }
  });
});

describe('search results', () => {
  it('[A8] include matches by meaning without a common word, and by a rare word without meaning', async () => {
    const client = await newAdmin(server);
    const lines = await client.bulk([
      { externalId: 'meaning', content: 'The physician prescribed medication for her headache' },
      { externalId: 'word', content: 'Ticket zxq4417 was closed' },
      { externalId: 'other', content: 'The train to Basel leaves at seven' },
    ]);
    const ranked = async (query: string) => {
      const answer = await client.post('/v1/search', {
        query,
        threshold: 0,
        order: 'relevance',
        minPosition: lines.at(-1)!.position,
        waitMs: 30_000,
      });
      return answer.body.results.map(({ memory }: Json) => memory.externalId);
    };
    expect((await ranked('doctor gave pills against migraine'))[0]).toBe('meaning');
    expect((await ranked('zxq4417'))[0]).toBe('word');
  });

  it('[A3] exclude a deleted memory until it is restored', async () => {
    const client = await newAdmin(server);
    const content = 'The staging cluster is rebuilt every Sunday';
    const stored = await client.store({ content });
    const { id } = stored.memory;
    expect(await found(client, content, stored.position)).toEqual([id]);
    const deleted = await client.delete(`/v1/memories/${id}`);
    expect(await found(client, content, deleted.body.position)).toEqual([]);
    const filter = { state: { eq: 'deleted' } };
    const reply = await client.post('/v1/search', { query: content, threshold: 0, filter });
    expect(reply.body.results).toEqual([]);
    const restored = await client.post(`/v1/memories/${id}/restore`);
    expect(await found(client, content, restored.body.position)).toEqual([id]);
  });

  it('[F6] exclude an erased memory', async () => {
    const client = await newAdmin(server);
    const content = 'The recovery phrase is written on the yellow card';
    const { memory, position } = await client.store({ content });
    expect(await found(client, content, position)).toEqual([memory.id]);
    const erased = await client.delete(`/v1/memories/${memory.id}?mode=erase`);
    expect(erased.status).toBe(200);
    expect(await found(client, content, erased.body.position)).toEqual([]);
  });

  it('[A2] match the new text of an updated memory and not the old one', async () => {
    const client = await newAdmin(server);
    const before = 'The canteen serves lentil soup on Mondays';
    const after = 'Certificates of the ingress expire in ninety days';
    const { memory, position } = await client.store({ content: before });
    expect(await found(client, before, position)).toEqual([memory.id]);
    const changed = await client.patch(`/v1/memories/${memory.id}`, { content: after }, { 'if-match': '*' });
    expect(await found(client, after, changed.body.position)).toEqual([memory.id]);
    expect(await found(client, before, changed.body.position)).toEqual([]);
    const { body } = await client.post('/v1/search', { query: after });
    expect(body.results[0].memory).toMatchObject({ content: after, revision: 1 });
  });

  it('[A2] match the current tags, spaces and metadata', async () => {
    const client = await newAdmin(server);
    const content = 'The load balancer keeps connections for a minute';
    const { memory } = await client.store({
      content,
      tags: ['old'],
      spaces: ['net'],
      metadata: { level: 1 },
    });
    const patch = { tags: ['new'], spaces: ['edge'], metadata: { level: 2 } };
    const changed = await client.patch(`/v1/memories/${memory.id}`, patch, { 'if-match': '*' });
    const count = async (conditions: object) => {
      const minPosition = changed.body.position;
      const { body } = await client.post('/v1/search', {
        query: content,
        minPosition,
        waitMs: 30_000,
        ...conditions,
      });
      return body.results.length;
    };
    expect(await count({ tags: ['new'] })).toBe(1);
    expect(await count({ tags: ['old'] })).toBe(0);
    expect(await count({ spaces: ['edge'] })).toBe(1);
    expect(await count({ spaces: ['net'] })).toBe(0);
    expect(await count({ filter: { 'metadata.level': { eq: 2 } } })).toBe(1);
    expect(await count({ filter: { 'metadata.level': { eq: 1 } } })).toBe(0);
  });
});
