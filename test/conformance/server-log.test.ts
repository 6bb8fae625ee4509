import { beforeAll, describe, expect, it } from 'vitest';
import { clientOf, clientWithKey, freshTenant, type Client } from '../support/api.ts';
import { sendRaw } from '../support/raw-http.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer({
  because: 'reads the log of the process, at level debug',
  environment: { STRATALOG_LOG_LEVEL: 'debug', STRATALOG_EMBEDDER: 'deterministic' },
});
let client: Client;

beforeAll(async () => {
  client = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });
});

describe('the server log', () => {
  it('[J7] has one JSON object per line, and logs a request with its id, trace and answer', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers = { 'x-request-id': 'logged-1', traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    expect((await client.get('/v1/stats', headers)).status).toBe(200);
    const entries = () =>
      server.log.map((line) => JSON.parse(line)).filter(({ requestId }) => requestId === 'logged-1');
    await expect.poll(() => entries().length, { timeout: 10_000 }).toBeGreaterThan(0);
    expect(entries()[0]).toMatchObject({ method: 'GET', path: '/v1/stats', status: 200, traceId });
  });

  it('[I5] shows ids of this server in a path, and nothing else that a caller put there', async () => {
    const { memory } = await client.store({ content: 'a note' });
    await client.get(`/v1/memories/${memory.id}`, { 'x-request-id': 'logged-2' });
    await client.put('/v1/memories/external/mine', { content: 'x' }, { 'x-request-id': 'logged-3' });
    const pathOf = (id: string): unknown =>
      server.log.map((line) => JSON.parse(line)).find(({ requestId }) => requestId === id)?.path;
    await expect.poll(() => pathOf('logged-3')).toBe('/v1/memories/external/:externalId');
    expect(pathOf('logged-2')).toBe(`/v1/memories/${memory.id}`);
  });

  it('[J7] contains no credentials or content, whatever fails', async () => {
    const content = 'Kennwort-des-Tresors-4711';
    await client.store({ content, metadata: { pin: content }, externalId: content });
    await client.put(`/v1/memories/external/${content}`, { content: 'other' });
    await client.get(`/v1/${content}`);
    await client.post('/v1/search', { query: content, filter: { 'metadata.pin': { eq: content } } });
    await client.post('/v1/memories', { content, layer: content });
    await client.send('POST', '/v1/memories', {
      raw: `{"content":"${content}`,
      headers: { 'content-type': 'application/json' },
    });
    await clientOf(server, `sl_wrong.${content}`).get('/v1/memories');
    await client.get('/v1/stats', { 'x-request-id': 'last-one' });
    await expect.poll(() => server.log.join('\n'), { timeout: 10_000 }).toContain('last-one');
    const log = server.log.join('\n');
    expect(log).not.toContain(content);
    expect(log).not.toContain(client.key!.split('.').at(-1));
    expect(log).not.toContain(server.masterKey);
  });

  it.each([
    ['an invalid chunk size', 'ZZ\r\n', false],
    ['a body that ends too soon', '', true],
  ])(
    '[I5] contains no content of an interrupted body, and reports no server error: %s',
    async (_, rest, end) => {
      const line = JSON.stringify({ content: 'Geheimes-4712' });
      const head = [
        'POST /v1/memories/bulk HTTP/1.1',
        'Host: x',
        `Authorization: Bearer ${client.key}`,
        'Content-Type: application/x-ndjson',
        'Transfer-Encoding: chunked',
      ].join('\r\n');
      const chunk = `${(line.length + 1).toString(16)}\r\n${line}\n\r\n`;
      await sendRaw(server.url, `${head}\r\n\r\n${chunk}${rest}`, { end });
      const marker = `after-${freshTenant()}`;
      await client.get('/v1/stats', { 'x-request-id': marker });
      await expect.poll(() => server.log.join('\n'), { timeout: 10_000 }).toContain(marker);
      const log = server.log.join('\n');
      expect(log).not.toContain('Geheimes-4712');
      expect(log).not.toContain(client.key!.split('.').at(-1));
      expect(log).not.toContain('rawPacket');
      expect(server.log.filter((entry) => JSON.parse(entry).level >= 50)).toEqual([]);
    },
  );
});
