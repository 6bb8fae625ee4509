import { beforeAll, describe, expect, it } from 'vitest';
import { clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer();

const dayMs = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString();
const things = 'printer,lift,garage,garden,kitchen,roof,alarm,server,heating,door,window,fence'.split(',');
const doings = 'was moved,broke down,was painted,got a new lock,is too loud'.split(',');

/** The same text except for the time. */
const reports = Array.from({ length: 180 }, (_, n) => ({
  externalId: `old ${n}`,
  content: `Report: the ${things[n % things.length]} ${doings[n % doings.length]}, it took us ${n} minutes.`,
  occurredAt: new Date(Date.UTC(2019, 0, 1 + 5 * n, 9)).toISOString(),
}));
const events = [
  { externalId: 'day', content: 'The parquet was oiled.', occurredAt: '2023-05-07T21:30:00Z' },
  { externalId: 'day after', content: 'The parquet was sanded.', occurredAt: '2023-05-08T00:00:00Z' },
  { externalId: 'month', content: 'Two tyres burst on the way.', occurredAt: '2023-11-20T08:00:00Z' },
  { externalId: '12 days ago', content: 'The gutter was cleaned.', occurredAt: daysAgo(12) },
  { externalId: '5 days ago', content: 'The chimney was swept.', occurredAt: daysAgo(5) },
  { externalId: 'untold', content: 'The mirror hangs straight.' },
];

describe('a question about a time', () => {
  let client: Client;
  let position: string;

  beforeAll(async () => {
    client = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });
    const stored = await client.bulk([...reports, ...events]);
    position = stored.at(-1)!['position'];
  });

  async function found(query: string, more: object = {}): Promise<string[]> {
    const request = {
      query,
      threshold: 0,
      order: 'relevance',
      minPosition: position,
      waitMs: 30_000,
      ...more,
    };
    const { status, body } = await client.post('/v1/search', request);
    expect(status).toBe(200);
    return body.results.map(({ memory }: Json) => memory.externalId);
  }

  it.each([
    ['What was reported on 7 May 2023?', 'day'],
    ['What was reported on May 8th, 2023?', 'day after'],
    ['What happened in November 2023?', 'month'],
    ['What did we do 5 days ago?', '5 days ago'],
    ['What did we report in the last week?', '5 days ago'],
    ['What did we do 12 days ago?', '12 days ago'],
  ])('[A8] returns first what happened at that time: %s', async (question, first) => {
    expect((await found(question))[0]).toBe(first);
  });

  it.each([
    ['What did we report last week?', '2023-05-10T10:00:00Z', ['day']],
    ['What did we report this week?', '2023-05-10T10:00:00Z', ['day after']],
    ['What did we do on Sunday?', '2023-05-10T10:00:00Z', ['day']],
    ['What happened on May 7?', '2024-01-01T00:00:00+01:00', ['day']],
    ['What was reported on 7.5.2023?', undefined, ['day']],
    ['What was reported on 2023/05/08?', undefined, ['day after']],
    ['What happened before 2023-11-01 and after 2023-05-01?', undefined, ['day', 'day after']],
  ])('[A8] returns first what happened at that time, relative to `now`: %s', async (question, now, first) => {
    expect((await found(question, { now })).slice(0, first.length).sort()).toEqual(first);
  });

  it('[A8] also uses `now` as of a position', async () => {
    const request = { now: '2023-05-10T10:00:00Z', asOf: position };
    expect((await found('What did we report last week?', request))[0]).toBe('day');
  });

  it('[A8] [I2] records the time of asking with the search, given or not', async () => {
    const auditedNow = async (path: string, more: object) => {
      const { body } = await client.post(path, { query: 'What did we do last week?', ...more });
      const audit = await client.get(`/v1/audit/searches/${body.searchId}`);
      return audit.body.request.now;
    };
    for (const path of ['/v1/search', '/v1/reasoning/multi-hop']) {
      const now = '2023-05-10T12:00:00+02:00';
      expect(await auditedNow(path, { now })).toBe('2023-05-10T10:00:00.000Z');
      expect(Math.abs(Date.parse(await auditedNow(path, {})) - Date.now())).toBeLessThan(60_000);
    }
    expect(await auditedNow('/v1/search', { asOf: position })).toBeUndefined();
  });

  it.each(['2023-05-10', 'yesterday', '', 7, null, '2023-05-10T10:00:00', '2023-13-10T10:00:00Z'])(
    '[A5] rejects the time of asking %j',
    async (now) => {
      for (const path of ['/v1/search', '/v1/reasoning/multi-hop']) {
        const { status, body } = await client.post(path, { query: 'What did we do last week?', now });
        expect(status).toBe(400);
        expect(body.errors).toMatchObject([{ path: 'now' }]);
      }
    },
  );

  it('[A8] uses the storage time of a memory whose text and fields give no time', async () => {
    const today = new Date().toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' });
    expect((await found(`What was reported on ${today}?`))[0]).toBe('untold');
  });

  it('[A8] still applies the filter', async () => {
    const filter = { occurredAt: { lt: '2023-01-01T00:00:00Z' } };
    const ids = await found('What was reported on 7 May 2023?', { filter });
    expect(ids).toHaveLength(10);
    expect(ids.every((id) => id.startsWith('old '))).toBe(true);
  });

  it('[A8] as of a position supports absolute times, but not relative ones such as last week', async () => {
    expect((await found('What was reported on 7 May 2023?', { asOf: position }))[0]).toBe('day');
    expect((await found('What happened in November 2023?', { asOf: position }))[0]).toBe('month');
    const now = await found('What was cleaned or swept in the last week?');
    const then = await found('What was cleaned or swept in the last week?', { asOf: position });
    expect([now[0], then.includes('12 days ago')]).toEqual(['5 days ago', true]);
  });
});

describe('the offset of the time of asking', () => {
  let client: Client;
  let position: string;

  beforeAll(async () => {
    client = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });
    const said = (content: string, occurredAt: string) => ({ externalId: occurredAt, content, occurredAt });
    const stored = await client.bulk([
      said('Choir practice was moved to the gym.', '2026-11-02T21:30:00-08:00'),
      said('Choir practice was cancelled.', '2026-11-03T19:00:00-08:00'),
      said('Rehearsal began with breathing exercises.', '2026-11-10T07:30:00+09:00'),
      said('Rehearsal was held in the chapel.', '2026-11-10T23:30:00Z'),
    ]);
    position = stored.at(-1)!['position'];
  });

  it.each([
    ['What happened to choir practice on 2 November 2026?', '2026-11-25T10:00:00-08:00', '2026-11-02', 'gym'],
    [
      'What happened to choir practice on 3 November?',
      '2026-11-25T10:00:00-08:00',
      '2026-11-03',
      'cancelled',
    ],
    ['What happened to choir practice yesterday?', '2026-11-03T20:00:00-08:00', '2026-11-02', 'gym'],
    ['What happened to choir practice on 3 November?', '2026-11-25T10:00:00Z', '2026-11-03', 'gym'],
    ['How was the rehearsal on 10 November?', '2026-11-25T10:00:00+09:00', '2026-11-10', 'breathing'],
  ])('[A8] [E8] decides which day is meant and shown: %s at %s', async (query, now, day, word) => {
    const request = { query, now, minPosition: position, waitMs: 30_000 };
    const { body: found } = await client.post('/v1/search', request);
    expect(found.results[0].memory.content).toContain(word);
    const { body } = await client.post('/v1/context', { ...request, tokenBudget: 200 });
    expect(body.text.split('\n')[0]).toMatch(new RegExp(`^\\[1\\] \\(${day}.*${word}`));
  });
});

it('[A5] a text that gives a day is found by its own words at the default threshold, among texts of other days', async () => {
  const client = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });
  const days = Array.from({ length: 200 }, (_, n) =>
    new Date(Date.UTC(2023, 0, 1 + n)).toISOString().slice(0, 10),
  );
  const texts = [...days.map((day) => `Standup ${day}`), '2023-05-07'];
  const stored = await client.bulk(texts.map((content) => ({ content })));
  const minPosition = stored.at(-1)!['position'];
  for (const query of ['Standup 2023-05-07', '2023-05-07']) {
    const { body } = await client.post('/v1/search', { query, minPosition, waitMs: 30_000 });
    expect(body.results[0]?.memory.content).toBe(query);
  }
});
