import { beforeAll, describe, expect, it } from 'vitest';
import { clientWithKey, freshTenant, type Client, type Reply } from '../support/api.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
let client: Client;
let id: string;
let position: string;

beforeAll(async () => {
  client = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });
  const stored = await client.store({ content: 'The lease of the office ends in May' });
  ({ position } = stored);
  id = stored.memory.id;
});

type Wait = Record<string, string | number>;
type Query = (wait: Wait, path?: string) => Promise<Reply>;

const asText = (wait: Wait) =>
  new URLSearchParams(Object.entries(wait).map(([name, value]): [string, string] => [name, String(value)]));
const getting =
  (path: () => string): Query =>
  (wait) =>
    client.get(`${path()}?${asText(wait).toString()}`);

/** Every kind of query, each as a call that takes the wait parameters. */
const queries: [string, Query][] = [
  ['search', (wait) => client.post('/v1/search', { query: 'lease', ...wait })],
  ['list', getting(() => '/v1/memories')],
  ['get', getting(() => `/v1/memories/${id}`)],
  ['history', getting(() => `/v1/memories/${id}/history`)],
  ['related', getting(() => `/v1/memories/${id}/related`)],
  ['stats', getting(() => '/v1/stats')],
  ['audit', getting(() => '/v1/audit/events')],
  ['keys', getting(() => '/v1/admin/keys')],
  ['projections', getting(() => '/v1/admin/projections')],
  [
    'audit as a stream',
    (wait) => client.get(`/v1/audit/events?${asText(wait).toString()}`, { accept: 'application/x-ndjson' }),
  ],
];

/** A position of the same log far beyond its end. */
const ahead = () => `${position.split('-')[0]}-zzzzzz`;

const wrongPositions: [string, string][] = [
  ['an empty text', ''],
  ['a number', '5'],
  ['a text', 'latest'],
  ['a time', '2024-01-01T00:00:00Z'],
  ['another log', '0123456789ab-5'],
  ['trailing text', 'SUFFIX'],
  ['an SQL injection', "' or 1=1 --"],
];

describe('[I4] the position of a caller who may not read the audit', () => {
  it('shows no number, may come from others, be one of several, and cannot be made up', async () => {
    const tenant = freshTenant();
    const admin = await clientWithKey(server, { tenant, role: 'admin', user: 'root' });
    const member = await clientWithKey(server, { tenant, role: 'member', user: 'ada' });
    const own = await member.store({ content: 'Mine' });
    const second = await member.store({ content: 'Mine too' });
    const theirs = await admin.store({ content: 'Theirs', layer: 'company' });
    expect(own.position).toMatch(/^[0-9a-f]{12}-[0-9a-f]{32}$/);
    const [log, number] = theirs.position.split(/[-~]/) as [string, string];
    const asked = (minPosition: string) =>
      member.get(`/v1/memories?waitMs=30000&minPosition=${encodeURIComponent(minPosition)}`);
    const { status, body } = await asked([second, theirs, own].map((one) => one.position).join(','));
    expect(status).toBe(200);
    expect(body.items).toHaveLength(3);
    expect(body.position).toMatch(/^[0-9a-f]{12}-[0-9a-f]{32}$/);
    for (const made of [`${log}-${number}`, `${log}-zzzzzz`, `${log}-${'0'.repeat(32)}`])
      expect((await asked(made)).body).toMatchObject({ status: 400, code: 'position-unknown' });
    const page = await member.get(`/v1/memories/${own.memory.id}/history`);
    expect(page.body.items[0].position).toMatch(/^[0-9a-f]{12}-[0-9a-f]{32}$/);
    expect((await member.get('/readyz')).body.log.position).not.toContain('~');
  });
});

describe.each(queries)('minPosition of %s', (_, query) => {
  it('[A10] accepts the position of a command', async () => {
    expect((await query({ minPosition: position, waitMs: 30_000 })).status).toBe(200);
  });

  it.each(wrongPositions)('[A10] rejects %s as position-unknown', async (_, text) => {
    const minPosition = text === 'SUFFIX' ? `${position}-1` : text;
    const reply = await query({ minPosition });
    expect(reply).toMatchObject({ status: 400, body: { code: 'position-unknown' } });
    expect(reply.body.errors[0].path).toBe('minPosition');
  });

  it('[A10] rejects text longer than any position as position-unknown', async () => {
    const reply = await query({ minPosition: `${position}${'0'.repeat(500)}` });
    expect(reply).toMatchObject({ status: 400, body: { code: 'position-unknown' } });
  });

  it('[A10] ahead of the log answers 504 after the wait, with Retry-After', async () => {
    const reply = await query({ minPosition: ahead(), waitMs: 100 });
    expect(reply).toMatchObject({ status: 504, body: { code: 'position-timeout', status: 504 } });
    expect(reply.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(reply.headers.get('retry-after')).toMatch(/^\d+$/);
  });

  it('[A10] ahead of the log answers 504 immediately with waitMs 0', async () => {
    expect((await query({ minPosition: ahead(), waitMs: 0 })).status).toBe(504);
  });

  it.each([[-1], [30_001], [1.5], ['soon']])('[A10] rejects waitMs %s', async (waitMs) => {
    const reply = await query({ minPosition: position, waitMs });
    expect(reply).toMatchObject({ status: 400, body: { code: 'validation-failed' } });
    expect(reply.body.errors[0].path).toBe('waitMs');
  });

  it.each([[0], [30_000]])('[A10] accepts waitMs %s', async (waitMs) => {
    await query({ minPosition: position, waitMs: 30_000 });
    expect((await query({ minPosition: position, waitMs })).status).toBe(200);
  });
});

describe('read your writes', () => {
  it('[A10] the position of every command makes its effect visible to the next query', async () => {
    const own = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });
    const listed = async (minPosition: string, query = '') => {
      const { status, body } = await own.get(`/v1/memories?minPosition=${minPosition}&waitMs=30000${query}`);
      expect(status).toBe(200);
      return body.items;
    };
    const searched = async (query: string, minPosition: string) =>
      (await own.post('/v1/search', { query, minPosition, waitMs: 30_000 })).body.results.length;

    for (let round = 0; round < 5; round++) {
      const content = `Round ${round}: the vault of the third branch is opened by two people`;
      const stored = await own.store({ content, externalId: `round-${round}` });
      expect(await searched(content, stored.position)).toBeGreaterThan(0);
      const path = `/v1/memories/${stored.memory.id}`;
      const changed = await own.patch(path, { tags: [`t${round}`] }, { 'if-match': '*' });
      expect(await listed(changed.body.position, `&tag=t${round}`)).toHaveLength(1);
      const deleted = await own.delete(path);
      expect(await searched(content, deleted.body.position)).toBe(0);
      expect(await listed(deleted.body.position, '&state=deleted')).toHaveLength(round + 1);
    }
  });

  it('[A10] also for links, feedback and bulk', async () => {
    const own = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });
    const lines = await own.bulk([{ content: 'one' }, { content: 'two' }]);
    const [one, two] = lines.map((line) => line.id);
    const wait = (position: string) => `minPosition=${position}&waitMs=30000`;
    const listed = await own.get(`/v1/memories?${wait(lines[1].position)}`);
    expect(listed.body.items).toHaveLength(2);
    const linked = await own.put(`/v1/memories/${one}/links/supports/${two}`);
    const related = await own.get(`/v1/memories/${two}/related?${wait(linked.body.position)}`);
    expect(related.body.items).toHaveLength(1);
    const judged = await own.post(`/v1/memories/${one}/feedback`, { kind: 'outdated' });
    const stats = await own.get(`/v1/stats?${wait(judged.body.position)}`);
    expect(stats.body.feedback.total).toBe(1);
  });

  it('[A10] the position of a query’s answer can be requested again', async () => {
    for (const [, query] of queries) {
      const { body } = await query({ minPosition: position, waitMs: 30_000 });
      if (body?.position === undefined) continue;
      expect((await query({ minPosition: body.position, waitMs: 30_000 })).status).toBe(200);
    }
  });

  it('[A10] returns as soon as a write arrives during the wait', async () => {
    const own = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });
    const first = await own.store({ content: 'first' });
    const [log] = first.position.split('-') as [string];
    // Events of other tests may come in between: only some event after the first is certain.
    const place = (position: string) => Number.parseInt(position.split('-')[1]!, 36);
    const later = place(first.position) + 1;
    const waiting = own.get(`/v1/memories?minPosition=${log}-${later.toString(36)}&waitMs=30000`);
    await own.store({ content: 'second' });
    const { status, body } = await waiting;
    expect(status).toBe(200);
    expect(place(body.position)).toBeGreaterThanOrEqual(later);
    expect(body.items.map(({ content }: { content: string }) => content)).toContain('first');
  });
});
