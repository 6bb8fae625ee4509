import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { clientOf, type Client, type Json } from '../support/api.ts';
import { expectInvalid, expectProblem } from '../support/problem.ts';
import { startServer } from '../support/server.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
let tenant: Tenant;
let admin: Client;

beforeAll(async () => {
  tenant = await newTenant(server);
  ({ admin } = tenant);
});

const day = 86_400_000;
const at = (memory: Json) => `/v1/memories/${memory.id}`;

async function stored(fields: Json = {}): Promise<Json> {
  return (await admin.store({ content: 'Deploy on Tuesdays.', ...fields })).memory;
}

async function deleted(fields: Json = {}): Promise<Json> {
  return (await admin.delete(at(await stored(fields)))).body.memory;
}

async function typesOf(memory: Json): Promise<string[]> {
  const { body } = await admin.get(`${at(memory)}/history`);
  return body.items.map(({ type }: Json) => type);
}

describe('soft delete', () => {
  it('[A3] returns the deleted memory and the end of its retention, 30 days later', async () => {
    const memory = await stored();
    const reply = await admin.delete(at(memory));
    expect(reply.status).toBe(200);
    expect(reply.headers.get('etag')).toBe('"1"');
    const { updatedAt, retentionUntil, ...rest } = reply.body.memory;
    const { updatedAt: _, ...before } = memory;
    expect(rest).toEqual({ ...before, state: 'deleted', revision: 1 });
    const days = (Date.parse(retentionUntil) - Date.parse(updatedAt)) / day;
    expect(days).toBeCloseTo(30, 2);

    const got = await admin.get(at(memory));
    expect(got.status).toBe(200);
    expect(got.body).toEqual(reply.body.memory);
  });

  it('[A3] hides the memory from searches and from lists without state=deleted', async () => {
    const own = await newTenant(server);
    const content = 'The gateway times out after nine seconds.';
    const kept = await own.admin.store({ content: 'The gateway listens on port nine.' });
    const { memory, position: before } = await own.admin.store({ content, tags: ['gone'] });
    const search = (minPosition: string) =>
      own.admin.post('/v1/search', { query: content, threshold: 0, minPosition });
    const found = (reply: Json) => reply.body.results.map(({ memory: { id } }: Json) => id);
    expect(found(await search(before))).toContain(memory.id);

    const { position } = (await own.admin.delete(at(memory))).body;
    const list = async (query: string) => {
      const { body } = await own.admin.get(`/v1/memories?minPosition=${position}&${query}`);
      return body.items.map(({ id }: Json) => id);
    };
    expect(await list('')).toEqual([kept.memory.id]);
    expect(await list('state=active')).toEqual([kept.memory.id]);
    expect(await list('state=deleted')).toEqual([memory.id]);
    expect(await list('state=archived')).toEqual([]);
    expect(found(await search(position))).toEqual([kept.memory.id]);
  });

  it('[A3] does not require If-Match, but checks it when present', async () => {
    const memory = await stored();
    expectProblem(await admin.delete(at(memory), { 'if-match': '"1"' }), 412, 'revision-mismatch');
    expectProblem(await admin.delete(at(memory), { 'if-match': 'W/"0"' }), 412, 'revision-mismatch');
    expectProblem(await admin.delete(at(memory), { 'if-match': '0' }), 400, 'etag-invalid');
    expect((await admin.get(at(memory))).body.state).toBe('active');
    expect((await admin.delete(at(memory), { 'if-match': '"0"' })).status).toBe(200);
  });

  it('[A3] when repeated, returns the same answer and writes no event', async () => {
    const memory = await stored();
    const first = await admin.delete(at(memory));
    const second = await admin.delete(at(memory));
    expect(second.status).toBe(200);
    expect(second.body.memory).toEqual(first.body.memory);
    expect(await typesOf(memory)).toEqual(['MemoryStored', 'MemoryDeleted']);
  });

  it('[A3] writes one event when run 16 times at once', async () => {
    const memory = await stored();
    const replies = await Promise.all(Array.from({ length: 16 }, () => admin.delete(at(memory))));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    expect(await typesOf(memory)).toEqual(['MemoryStored', 'MemoryDeleted']);
  });

  it('[A3] makes patch, link and feedback answer 409', async () => {
    const gone = await deleted();
    const other = await stored();
    const patch = await admin.patch(at(gone), { content: 'x' }, { 'if-match': '*' });
    expectProblem(patch, 409, 'memory-deleted');
    expectProblem(await admin.put(`${at(gone)}/links/related/${other.id}`), 409, 'memory-deleted');
    expectProblem(await admin.delete(`${at(gone)}/links/related/${other.id}`), 409, 'memory-deleted');
    expectProblem(await admin.post(`${at(gone)}/feedback`, { kind: 'outdated' }), 409, 'memory-deleted');
    expect(await typesOf(gone)).toEqual(['MemoryStored', 'MemoryDeleted']);
  });

  it('[A3] keeps the externalId taken', async () => {
    const gone = await deleted({ externalId: 'kept while deleted' });
    const again = await admin.post('/v1/memories', { content: 'x', externalId: 'kept while deleted' });
    expectProblem(again, 409, 'external-id-taken');
    expect(again.body.memoryId).toBe(gone.id);
  });

  it('[A3] answers 403 to callers who may not write, and 404 to callers who may not see the memory', async () => {
    const shared = await stored({ layer: 'company' });
    const member = await tenant.key({ user: 'bob' });
    expectProblem(await member.delete(at(shared)), 403, 'forbidden');
    expectProblem(await member.delete(at(await stored())), 404, 'not-found');
    expectProblem(await admin.delete('/v1/memories/018f0000-0000-7000-8000-000000000000'), 404, 'not-found');
    expectProblem(await admin.delete('/v1/memories/no-id'), 404, 'not-found');
  });

  it('[A3] [A11] accepts no fields, and treats an explicit mode=soft as the same command', async () => {
    const memory = await stored();
    expectInvalid(await admin.send('DELETE', at(memory), { body: { mode: 'erase' } }), 'mode');
    expect((await admin.get(at(memory))).body.state).toBe('active');
    const headers = { 'idempotency-key': `delete-${memory.id}` };
    expect((await admin.send('DELETE', at(memory), { body: {}, headers })).status).toBe(200);
    const again = await admin.delete(`${at(memory)}?mode=soft`, headers);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expectProblem(await admin.delete(`${at(memory)}?mode=erase`, headers), 422, 'idempotency-key-reused');
  });

  it('[A3] rejects an unknown mode', async () => {
    const memory = await stored();
    expectInvalid(await admin.delete(`${at(memory)}?mode=hard`), 'mode');
    expectInvalid(await admin.delete(`${at(memory)}?force=true`), 'force');
    expect((await admin.get(at(memory))).body.state).toBe('active');
  });
});

describe('restore', () => {
  it('[A3] brings back the whole memory, which can be changed again', async () => {
    const memory = await stored({ tags: ['back'], externalId: 'back' });
    await admin.delete(at(memory));
    const reply = await admin.post(`${at(memory)}/restore`);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('etag')).toBe('"2"');
    const { updatedAt: _, ...before } = memory;
    expect(reply.body.memory).toMatchObject({ ...before, state: 'active', revision: 2 });
    expect(reply.body.memory).not.toHaveProperty('retentionUntil');
    const list = await admin.get(`/v1/memories?externalId=back&minPosition=${reply.body.position}`);
    expect(list.body.items).toEqual([reply.body.memory]);
    const search = await admin.post('/v1/search', {
      query: 'Deploy on Tuesdays.',
      threshold: 0,
      topK: 100,
      minPosition: reply.body.position,
    });
    expect(search.body.results.map((result: Json) => result.memory.id)).toContain(memory.id);
    const patch = await admin.patch(at(memory), { content: 'Deploy on Fridays.' }, { 'if-match': '"2"' });
    expect(patch.body.memory.revision).toBe(3);
  });

  it('[A3] of an active memory changes nothing and answers 200', async () => {
    const memory = await stored();
    const reply = await admin.post(`${at(memory)}/restore`);
    expect(reply.status).toBe(200);
    expect(reply.body.memory).toEqual(memory);
    expect(await typesOf(memory)).toEqual(['MemoryStored']);
  });

  it('[A3] works after every delete, and without a body', async () => {
    const memory = await stored();
    for (let round = 0; round < 2; round++) {
      await admin.delete(at(memory));
      expect((await admin.send('POST', `${at(memory)}/restore`)).status).toBe(200);
    }
    expect((await admin.get(at(memory))).body).toMatchObject({ state: 'active', revision: 4 });
  });

  it('[A3] checks an If-Match when present', async () => {
    const gone = await deleted();
    const restore = (tag: string) => admin.post(`${at(gone)}/restore`, {}, { 'if-match': tag });
    expectProblem(await restore('"0"'), 412, 'revision-mismatch');
    expectProblem(await restore('nonsense'), 400, 'etag-invalid');
    expect((await admin.get(at(gone))).body.state).toBe('deleted');
    expect((await restore('"1"')).status).toBe(200);
  });

  it('[A3] accepts no fields', async () => {
    const gone = await deleted();
    expectInvalid(await admin.post(`${at(gone)}/restore`, { until: 'x' }), 'until');
    expect((await admin.get(at(gone))).body.state).toBe('deleted');
  });

  it('[A3] is rejected for callers who may not write or see the memory, and for unknown ids', async () => {
    const shared = await deleted({ layer: 'company' });
    const member = await tenant.key({ user: 'bob' });
    expectProblem(await member.post(`${at(shared)}/restore`), 403, 'forbidden');
    expectProblem(await member.post(`${at(await deleted())}/restore`), 404, 'not-found');
    expectProblem(await admin.post('/v1/memories/no-id/restore'), 404, 'not-found');
  });
});

it('[A3] works until the retention ends, and not after it', async () => {
  const before = await startServer({ environment: { STRATALOG_EMBEDDER: 'deterministic' } });
  try {
    const { admin } = await newTenant(before);
    const { memory } = await admin.store({ content: 'kept for 30 days', externalId: 'e' });
    await admin.delete(at(memory));
    await before.stop();

    const daysLater = async (days: number, check: (client: Client) => Promise<void>) => {
      const shim = pathToFileURL(path.resolve('test/support/later.mjs')).href;
      const later = await startServer({
        dataDir: before.dataDir,
        environment: {
          ...before.environment,
          NODE_OPTIONS: `--import=${shim}`,
          STRATALOG_TEST_DAYS_LATER: String(days),
        },
      });
      try {
        await check(clientOf(later, admin.key));
      } finally {
        await later.stop();
      }
    };
    await daysLater(31, async (client) => {
      expectProblem(await client.post(`${at(memory)}/restore`), 409, 'retention-over');
      expect((await client.get(at(memory))).body.state).toBe('deleted');
      const again = await client.post('/v1/memories', { content: 'x', externalId: 'e' });
      expectProblem(again, 409, 'external-id-taken');
    });
    await daysLater(29, async (client) => {
      expect((await client.post(`${at(memory)}/restore`)).status).toBe(200);
    });
  } finally {
    await before.remove();
  }
});
