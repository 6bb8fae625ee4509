/** @module-tag servers */
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
const asked = [
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
    const stored = await client.bulk([...reports, ...asked]);
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
