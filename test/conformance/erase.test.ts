import { hash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/domain/json.ts';
import type { Client, Json } from '../support/api.ts';
import { auditEvents } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { expectInvalid, expectProblem } from '../support/problem.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
let tenant: Tenant;
let admin: Client;

beforeAll(async () => {
  tenant = await newTenant(server);
  ({ admin } = tenant);
});

const at = (memory: Json) => `/v1/memories/${memory.id}`;
const erase = (memory: Json, headers?: Record<string, string>) =>
  admin.delete(`${at(memory)}?mode=erase`, headers);

async function stored(fields: Json = {}): Promise<Json> {
  return (await admin.store({ content: 'My number is 555-0199.', ...fields })).memory;
}

describe('erasure', () => {
  it('[F6] returns only the id, the revision and the time', async () => {
    const memory = await stored({ externalId: 'answered' });
    const reply = await erase(memory);
    expect(reply.status).toBe(200);
    expect(reply.body.position).toEqual(expect.any(String));
    expect(reply.body.memory).toMatchObject({ id: memory.id, revision: 1 });
    expect(JSON.stringify(reply.body)).not.toMatch(/555-0199|answered/);
  });

  it('[F6] makes every call answer exactly as for an unknown memory', async () => {
    const memory = await stored();
    const other = await stored();
    await erase(memory);
    const never = { id: '018f0000-0000-7000-8000-000000000000' };
    const calls = (of: Json) => [
      admin.get(at(of)),
      admin.get(`${at(of)}?asOf=${encodeURIComponent(memory.createdAt)}`),
      admin.get(`${at(of)}/history`),
      admin.get(`${at(of)}/related`),
      admin.patch(at(of), { content: 'x' }, { 'if-match': '*' }),
      admin.delete(at(of)),
      admin.post(`${at(of)}/restore`),
      admin.post(`${at(of)}/feedback`, { kind: 'outdated' }),
      admin.put(`${at(of)}/links/related/${other.id}`),
      admin.put(`${at(other)}/links/related/${of.id}`),
      admin.delete(`${at(of)}/links/related/${other.id}`),
    ];
    const [erased, unknown] = [await Promise.all(calls(memory)), await Promise.all(calls(never))];
    for (const [index, reply] of erased.entries()) {
      expectProblem(reply, 404, 'not-found');
      const { requestId: _, ...rest } = reply.body;
      const { requestId: __, ...expected } = unknown[index]!.body;
      expect(rest).toEqual(expected);
    }
  });

  it('[F6] removes the memory from lists, as-of lists, searches and related memories', async () => {
    const own = await newTenant(server);
    const content = 'The safe opens with 31-7-12.';
    const fields = { content, externalId: 'safe', tags: ['safe'] };
    const { memory } = await own.admin.store(fields);
    const { memory: other, position: then } = await own.admin.store({ content: 'The safe is grey.' });
    await own.admin.put(`${at(other)}/links/related/${memory.id}`);
    const wasFound = await own.admin.post('/v1/search', { query: content, threshold: 0, minPosition: then });
    expect(JSON.stringify(wasFound.body)).toContain(memory.id);

    const { position } = (await own.admin.delete(`${at(memory)}?mode=erase`)).body;
    const list = async (query: string) => {
      const reply = await own.admin.get(`/v1/memories?minPosition=${position}&${query}`);
      expect(reply.status).toBe(200);
      return reply.body.items.map(({ id }: Json) => id);
    };
    expect(await list('')).toEqual([other.id]);
    expect(await list('state=deleted')).toEqual([]);
    expect(await list('tag=safe')).toEqual([]);
    expect(await list('externalId=safe')).toEqual([]);
    expect(await list(`asOf=${then}`)).toEqual([other.id]);
    const search = { query: content, threshold: 0, minPosition: position };
    const found = await own.admin.post('/v1/search', search);
    expect(found.body.results.map((result: Json) => result.memory.id)).toEqual([other.id]);
    const related = await own.admin.get(`${at(other)}/related?minPosition=${position}`);
    expect(related.body.items).toEqual([]);
  });

  it('[F6] leaves no hash that would reveal a short text by brute force', async () => {
    const body = { content: 'PIN 4821', layer: 'user' };
    const { memory } = (await admin.post('/v1/memories', body, { 'idempotency-key': 'guessed' })).body;
    const line = { content: 'PIN 4822', layer: 'user' };
    const [bulk] = await admin.bulk([line], { 'idempotency-key': 'guessed-in-bulk' });
    for (const [id, sent] of [
      [memory.id, [body, '']],
      [bulk!.id, [line]],
    ] as const) {
      const { position } = (await admin.delete(`/v1/memories/${id}?mode=erase`)).body;
      const of = `memory=${id}&type=MemoryStored&minPosition=${position}`;
      const [stored] = (await admin.get(`/v1/audit/events?${of}`)).body.items;
      expect(stored.bodyHash).toEqual(expect.any(String));
      expect(JSON.stringify(stored)).not.toContain(hash('sha256', canonicalJson(sent)));
    }
  });

  it('[F6] when repeated, answers 200 and writes no event', async () => {
    const memory = await stored();
    const first = await erase(memory);
    const second = await erase(memory);
    expect(second.status).toBe(200);
    expect(second.body.memory).toEqual(first.body.memory);
    const { position } = await admin.store({ content: 'after it' });
    const events = await admin.get(`/v1/audit/events?memory=${memory.id}&minPosition=${position}`);
    expect(events.body.items.map(({ type }: Json) => type)).toEqual(['MemoryStored', 'MemoryErased']);
  });

  it('[F6] answers 200 each time and writes one event when run 8 times at once', async () => {
    const memory = await stored();
    const replies = await Promise.all(Array.from({ length: 8 }, () => erase(memory)));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    expect(new Set(replies.map(({ body }) => body.memory.revision))).toEqual(new Set([1]));
  });

  it('[F6] works on a soft-deleted memory', async () => {
    const memory = await stored();
    await admin.delete(at(memory));
    expect((await erase(memory)).status).toBe(200);
    expectProblem(await admin.get(at(memory)), 404, 'not-found');
  });

  it('[F6] frees the externalId', async () => {
    const memory = await stored({ externalId: 'free again' });
    await erase(memory);
    const { memory: next } = await admin.store({ content: 'another', externalId: 'free again' });
    expect(next.id).not.toBe(memory.id);
    expect(next).toMatchObject({ revision: 0, content: 'another' });
    expectProblem(
      await admin.post('/v1/memories', { content: 'x', externalId: 'free again' }),
      409,
      'external-id-taken',
    );
    await erase(next);
    expect((await admin.store({ content: 'third', externalId: 'free again' })).memory.revision).toBe(0);
  });

  it('[F6] releases the claim on the externalId with the erasure, not with the next store', async () => {
    const { admin: own } = await newTenant(server);
    const { memory } = await own.store({ content: 'claimed', externalId: 'e' });
    const erased = await own.delete(`/v1/memories/${memory.id}?mode=erase`);
    // The release follows the erasure in the log.
    const released = () => auditEvents(own, 'type=ClaimReleased', erased.body.position);
    await eventually(async () => (await released()).length).toBe(1);
  });

  it('[F6] leaves one memory with the externalId when it races with stores of it', async () => {
    const memory = await stored({ externalId: 'contested' });
    const [erased, ...stores] = await Promise.all([
      erase(memory),
      ...Array.from({ length: 8 }, (_, n) =>
        admin.post('/v1/memories', { content: `heir ${n}`, externalId: 'contested' }),
      ),
    ]);
    expect(erased.status).toBe(200);
    const heirs = stores.filter(({ status }) => status === 201);
    expect(heirs.length).toBeLessThanOrEqual(1);
    for (const reply of stores.filter(({ status }) => status !== 201)) {
      expectProblem(reply, 409, 'external-id-taken');
    }
    const last = await admin.post('/v1/memories', { content: 'last', externalId: 'contested' });
    expect(last.status).toBe(heirs.length === 0 ? 201 : 409);
  });

  it('[F6] leaves other memories of the same subject unchanged', async () => {
    const memory = await stored({ subject: 'mary' });
    const other = await stored({ subject: 'mary', content: 'Mary likes tea.' });
    await erase(memory);
    expect((await admin.get(at(other))).body).toEqual(other);
  });
});

describe('permission to erase', () => {
  it('[F6] belongs to admins only: 403 for other roles, even for their own memories', async () => {
    const member = await tenant.key({ user: 'bob' });
    const { memory } = await member.store({ content: 'my own' });
    expectProblem(await member.delete(`${at(memory)}?mode=erase`), 403, 'forbidden');
    for (const role of ['reader', 'auditor', 'operator']) {
      const client = await tenant.key({ role, user: 'bob' });
      expectProblem(await client.delete(`${at(memory)}?mode=erase`), 403, 'forbidden');
    }
    expect((await member.get(at(memory))).body).toEqual(memory);
  });

  it('[F6] covers only the admin’s own tenant', async () => {
    const memory = await stored();
    const other = await newTenant(server);
    expectProblem(await other.admin.delete(`${at(memory)}?mode=erase`), 404, 'not-found');
    expect((await admin.get(at(memory))).status).toBe(200);
  });

  it('[F6] an If-Match erases exactly that revision or nothing', async () => {
    const memory = await stored();
    await admin.patch(at(memory), { content: 'changed meanwhile' }, { 'if-match': '"0"' });
    expectProblem(await erase(memory, { 'if-match': '"0"' }), 412, 'revision-mismatch');
    expectProblem(await erase(memory, { 'if-match': 'one' }), 400, 'etag-invalid');
    expect((await admin.get(at(memory))).body.content).toBe('changed meanwhile');
    expect((await erase(memory, { 'if-match': '"1"' })).status).toBe(200);
  });

  it('[F6] an unknown id answers 404, an unknown mode 400', async () => {
    expectProblem(await erase({ id: '018f0000-0000-7000-8000-000000000000' }), 404, 'not-found');
    expectProblem(await erase({ id: 'no-id' }), 404, 'not-found');
    expectInvalid(await admin.delete(`${at(await stored())}?mode=burn`), 'mode');
  });
});
