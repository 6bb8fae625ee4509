import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { clientWithKey, freshTenant, type Client, type Json, type Reply } from '../support/api.ts';
import { auditEvents } from '../support/events.ts';
import { newAdmin } from '../support/tenant.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer({
  because: 'rebuilds read models, which every tenant of a server shares',
  environment: { STRATALOG_EMBEDDER: 'deterministic' },
});

interface Step {
  readonly type: string;
  readonly run: (client: Client, headers: Record<string, string>) => Promise<Reply>;
  /** What the event must contain. */
  readonly data: Record<string, unknown>;
}

/** Every command with the event that it records; `ids` are the ids of three stored memories. */
function commands(ids: readonly string[]): Record<string, Step> {
  const [first, second, third] = ids;
  const path = `/v1/memories/${first}`;
  return {
    store: {
      type: 'MemoryStored',
      run: (client, headers) => client.post('/v1/memories', { content: 'a new one', tags: ['x'] }, headers),
      data: { layer: 'user', content: 'a new one', tags: ['x'], scope: { user: 'ada' } },
    },
    'store in bulk': {
      type: 'MemoryStored',
      run: (client, headers) =>
        client.send('POST', '/v1/memories/bulk', {
          raw: '{"content":"from a file"}\n',
          headers: { 'content-type': 'application/x-ndjson', ...headers },
        }),
      data: { content: 'from a file' },
    },
    update: {
      type: 'MemoryUpdated',
      run: (client, headers) => client.patch(path, { content: 'changed' }, { 'if-match': '"0"', ...headers }),
      data: { memoryId: first, content: 'changed' },
    },
    link: {
      type: 'MemoriesLinked',
      run: (client, headers) => client.put(`${path}/links/supports/${second}`, { confidence: 0.5 }, headers),
      data: { source: first, target: second, type: 'supports', confidence: 0.5 },
    },
    unlink: {
      type: 'MemoriesUnlinked',
      run: (client, headers) => client.delete(`${path}/links/supports/${second}`, headers),
      data: { source: first, target: second, type: 'supports' },
    },
    feedback: {
      type: 'FeedbackGiven',
      run: (client, headers) =>
        client.post(`${path}/feedback`, { kind: 'outdated', note: 'it was' }, headers),
      data: { memoryId: first, kind: 'outdated', note: 'it was' },
    },
    delete: {
      type: 'MemoryDeleted',
      run: (client, headers) => client.delete(path, headers),
      data: { memoryId: first },
    },
    restore: {
      type: 'MemoryRestored',
      run: (client, headers) => client.post(`${path}/restore`, {}, headers),
      data: { memoryId: first },
    },
    erase: {
      type: 'MemoryErased',
      run: (client, headers) => client.delete(`/v1/memories/${third}?mode=erase`, headers),
      data: { memoryId: third },
    },
    'create a key': {
      type: 'ApiKeyCreated',
      run: (client, headers) => client.post('/v1/admin/keys', { role: 'reader', name: 'report' }, headers),
      data: { role: 'reader', name: 'report' },
    },
  };
}

describe('the events of commands', () => {
  it('[F1] every command records actor, cause, reason, correlation, command and trace', async () => {
    const client = await newAdmin(server);
    const lines = await client.bulk(['one', 'two', 'three'].map((content) => ({ content })));
    for (const [name, { type, run, data }] of Object.entries(commands(lines.map(({ id }) => id)))) {
      const correlationId = `request-${randomUUID()}`;
      const traceId = randomUUID().replaceAll('-', '');
      const reply = await run(client, {
        'x-request-id': correlationId,
        'x-cause': 'llm',
        'x-reason': `because of ${name}`,
        'idempotency-key': randomUUID(),
        traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
      });
      expect([name, reply.status < 300]).toEqual([name, true]);
      const position = Array.isArray(reply.body) ? reply.body[0].position : reply.body.position;
      const events = await auditEvents(client, `type=${type}`, position);
      const own = events.filter((event) => event.correlationId === correlationId);
      expect(own, name).toHaveLength(1);
      expect(own[0]).toMatchObject({
        type,
        actor: 'user:ada',
        cause: 'llm',
        traceId,
        data,
        reason: `because of ${name}`,
      });
      expect(own[0].commandId, name).toMatch(/^[0-9a-f]{64}$/);
      expect(own[0].principal).toMatch(/^key:/);
      expect(own[0].hash).toMatch(/^[0-9a-f]{64}$/);
      expect(Date.parse(own[0].at)).toBeLessThanOrEqual(Date.now() + 1_000);
    }
  });

  it('[F1] the cause defaults to user, and a command that changes nothing records no event', async () => {
    const client = await newAdmin(server);
    const { memory } = await client.store({ content: 'a plan', tags: ['x'] });
    const path = `/v1/memories/${memory.id}`;
    await client.patch(path, { tags: ['x'] }, { 'if-match': '*' });
    await client.post(`${path}/restore`);
    await client.delete(path);
    const { body } = await client.delete(path);
    const events = await auditEvents(client, `memory=${memory.id}`, body.position);
    expect(events.map(({ type, cause }) => [type, cause])).toEqual([
      ['MemoryStored', 'user'],
      ['MemoryDeleted', 'user'],
    ]);
  });

  it('[F1] rejected commands record no event', async () => {
    const tenant = freshTenant();
    const client = await newAdmin(server, tenant);
    const member = await clientWithKey(server, { tenant, role: 'member', user: 'bob' });
    const { memory, position } = await client.store({ content: 'a plan' });
    await client.post('/v1/memories', { content: '' });
    await client.patch(`/v1/memories/${memory.id}`, { content: 'x' }, { 'if-match': '"9"' });
    await member.delete(`/v1/memories/${memory.id}`);
    await member.post('/v1/memories', { content: 'x', layer: 'company' });
    const types = (await auditEvents(client, '', position)).map(({ type }) => type);
    expect(types).toEqual(['TenantCreated', 'ApiKeyCreated', 'ApiKeyCreated', 'FactClaimed', 'MemoryStored']);
  });

  it('[F1] operations on read models and keys are recorded too', async () => {
    const tenant = freshTenant();
    const client = await newAdmin(server, tenant);
    const { id } = (await client.post('/v1/admin/keys', { role: 'reader' })).body;
    const { position } = (await client.delete(`/v1/admin/keys/${id}`)).body;
    const [revoked] = await auditEvents(client, 'type=ApiKeyRevoked', position);
    expect(revoked).toMatchObject({ actor: 'user:ada', data: { keyId: id } });
    const created = await auditEvents(client, 'type=ApiKeyCreated');
    expect(created[0].actor).toBe('master');
    expect(JSON.stringify(created)).not.toMatch(/secret/i);
    const why = { 'x-reason': 'the quarterly drill' };
    expect((await client.post('/v1/admin/projections/links/rebuild', undefined, why)).status).toBe(202);
    const rebuilt = () => auditEvents(client, 'type=ProjectionRebuilt');
    await expect
      .poll(rebuilt, { timeout: 20_000 })
      .toMatchObject([{ actor: 'user:ada', data: { projection: 'links' }, reason: 'the quarterly drill' }]);
  });

  it('[F6] the events of an erased memory remain, without their sealed content', async () => {
    const client = await newAdmin(server);
    const { memory } = await client.store({ content: 'the safe is behind the picture' });
    const erased = await client.delete(`/v1/memories/${memory.id}?mode=erase`);
    const events = await auditEvents(client, `memory=${memory.id}`, erased.body.position);
    expect(events.map(({ type }) => type)).toEqual(['MemoryStored', 'MemoryErased']);
    expect(events[0]).toMatchObject({ erased: true, data: { memoryId: memory.id, layer: 'user' } });
    expect(JSON.stringify(events)).not.toContain('picture');
  });
});

describe('audit reads', () => {
  it('[F1] record who read what', async () => {
    const tenant = freshTenant();
    const admin = await newAdmin(server, tenant);
    const auditor = await clientWithKey(server, { tenant, role: 'auditor', user: 'otto' });
    const { memory, position } = await admin.store({ content: 'a plan' });
    await auditEvents(auditor, `memory=${memory.id}&actor=user:ada`, position);
    const page = await admin.get('/v1/audit/events?type=AuditRead');
    // The event is in the log before the answer is sent; the read model may apply it a moment later.
    const reads = await auditEvents(admin, 'type=AuditRead', page.body.position);
    await expect
      .poll(async () => (await auditEvents(admin, 'type=AuditRead&actor=user:otto')).length, {
        timeout: 10_000,
      })
      .toBe(1);
    const [read] = await auditEvents(admin, 'type=AuditRead&actor=user:otto');
    expect(read.data).toMatchObject({
      memoryId: memory.id,
      items: 1,
      parameters: { memory: memory.id, actor: 'user:ada' },
    });
    expect(reads.every(({ actor }: Json) => ['user:ada', 'user:otto'].includes(actor))).toBe(true);
  });

  it('[F1] of a memory’s history are recorded too', async () => {
    const tenant = freshTenant();
    const admin = await newAdmin(server, tenant);
    const auditor = await clientWithKey(server, { tenant, role: 'auditor', user: 'otto' });
    const { memory } = await admin.store({ content: 'a plan' });
    expect((await auditor.get(`/v1/memories/${memory.id}/history`)).status).toBe(200);
    await expect
      .poll(
        async () =>
          (await auditEvents(admin, 'type=AuditRead&actor=user:otto')).map(({ data }) => data.memoryId),
        { timeout: 10_000 },
      )
      .toEqual([memory.id]);
  });
});
