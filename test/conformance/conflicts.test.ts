import { beforeEach, describe, expect, it } from 'vitest';
import type { Client, Json, Reply } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { expectInvalid } from '../support/problem.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
const starter = 'Northwind is on the Starter plan.';
const business = 'Northwind is on the Business plan.';
let tenant: Tenant;
let admin: Client;

beforeEach(async () => {
  tenant = await newTenant(server);
  ({ admin } = tenant);
});

/** Stores a memory and waits until a search finds it: a busy machine may need more than the two seconds that a store waits. */
async function stored(content: string, fields: Json = {}): Promise<Json> {
  const { memory, position } = await admin.store({ content, ...fields });
  await searchable(position);
  return memory;
}

async function searchable(position: string): Promise<void> {
  const reply = await admin.post('/v1/search', { query: 'anything', minPosition: position });
  expect(reply.status).toBe(200);
}

async function reported(content: string, fields: Json = {}, client = admin): Promise<Json> {
  const reply = await client.post('/v1/memories', { content, onConflict: 'report', ...fields });
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
  expect(reply.body.warnings).toBeUndefined();
  await searchable(reply.body.position);
  return reply.body;
}

async function linksOf({ id }: Json, position: string): Promise<Json[]> {
  const { body } = await admin.get(`/v1/memories/${id}/related?minPosition=${position}`);
  return body.items.map(({ memory, type, direction }: Json) => ({ id: memory.id, type, direction }));
}

const ids = (answer: Json): string[] => answer.conflicts.map(({ id }: Json) => id);

describe('onConflict: report', () => {
  it('[A14] answers what the stored memory contradicts, with a reason that quotes both, and links nothing', async () => {
    const old = await stored(starter);
    await stored('Northwind has two offices in Leeds.');
    const { memory, position, conflicts } = await reported(business);
    expect(conflicts).toEqual([
      { id: old.id, kind: 'contradicts', reason: expect.any(String), confidence: expect.any(Number) },
    ]);
    expect(conflicts[0].reason).toMatch(/"Starter".*"Business"/);
    expect(await linksOf(memory, position)).toEqual([]);
  });

  it('[A14] says that it supersedes what is about an earlier time, and that what is newer contradicts it', async () => {
    const old = await stored(starter, { occurredAt: '2026-01-01T00:00:00Z' });
    const later = await reported(business, { occurredAt: '2026-05-01T00:00:00Z' });
    expect(later.conflicts).toMatchObject([{ id: old.id, kind: 'supersedes' }]);
    const between = await reported('Northwind is on the Silver plan.', {
      occurredAt: '2026-03-01T00:00:00Z',
    });
    expect(new Map(between.conflicts.map(({ id, kind }: Json) => [id, kind]))).toEqual(
      new Map([
        [old.id, 'supersedes'],
        [later.memory.id, 'contradicts'],
      ]),
    );
  });

  it('[A14] answers duplicates, and an empty list where nothing is in conflict', async () => {
    const text = 'The spare key of the boat house hangs behind the second oar.';
    const first = await stored(text);
    expect((await reported(text, { duplicates: 'keep' })).conflicts).toMatchObject([
      { id: first.id, kind: 'duplicates', confidence: 1 },
    ]);
    expect((await reported('Ines speaks Portuguese and German.')).conflicts).toEqual([]);
  });

  it('[A14] looks only among memories of the same layer and scope that the caller sees', async () => {
    const member = await tenant.key({ user: 'bob', teams: ['blue', 'red'] });
    await stored(starter, { layer: 'company' });
    await stored(starter, { layer: 'team', scope: { team: 'red' } });
    await stored(starter, { layer: 'user', scope: { user: 'eve' } });
    const own = await stored(starter, { layer: 'team', scope: { team: 'blue' } });
    const answer = await reported(business, { layer: 'team', scope: { team: 'blue' } }, member);
    expect(ids(answer)).toEqual([own.id]);
    expect((await reported(business, {}, member)).conflicts).toEqual([]);
  });

  it('[A14] finds what was stored immediately before, or says that it may be missing', async () => {
    await stored('The tide table hangs in the hall.');
    for (let round = 0; round < 5; round++) {
      const { memory } = await admin.store({ content: `The port of service ${round}x is 8080` });
      const next = { content: `The port of service ${round}x is 9090`, onConflict: 'report' };
      const { body } = await admin.post('/v1/memories', next);
      if (body.warnings) expect(body.warnings).toMatchObject([{ code: 'conflicts-incomplete' }]);
      else expect(ids(body)).toEqual([memory.id]);
    }
  });

  it('[A14] does not report what another memory has superseded', async () => {
    const [one, two] = [await stored(starter), await stored('Northwind is on the Silver plan.')];
    await admin.put(`/v1/memories/${two.id}/links/supersedes/${one.id}`);
    expect(ids(await reported(business))).toEqual([two.id]);
  });

  it('[A14] finds the sentence of a long memory that a note changes', async () => {
    const filler = Array.from(
      { length: 60 },
      (_, n) => `Chapter ${n} tells of boats, bread and the harbour.`,
    );
    const long = [...filler, 'The gate of Dock Seven opens at 06:30 for lorries.', ...filler].join('\n');
    const handbook = await stored(long);
    const answer = await reported('From Monday the gate of Dock Seven opens at 05:45 for lorries.');
    expect(ids(answer)).toEqual([handbook.id]);
  });
});

describe('onConflict: supersede', () => {
  it('[A14] links the stored memory to the old one, which a bare search then shows behind it', async () => {
    const old = await stored(starter);
    const { memory, position, conflicts } = await reported(business, { onConflict: 'supersede' });
    expect(conflicts).toMatchObject([{ id: old.id, kind: 'supersedes' }]);
    expect(conflicts[0].confidence).toBeGreaterThanOrEqual(0.8);
    expect(await linksOf(memory, position)).toEqual([
      { id: old.id, type: 'supersedes', direction: 'outgoing' },
    ]);
    const { body } = await admin.post('/v1/search', { query: 'Northwind plan', minPosition: position });
    expect(body.results.map(({ memory: { id }, supersededBy }: Json) => [id, supersededBy])).toEqual([
      [memory.id, undefined],
      [old.id, memory.id],
    ]);
  });

  it('[A14] [F1] the audit shows why the link was made', async () => {
    await stored(starter);
    const { memory } = await reported(business, { onConflict: 'supersede' });
    const given = await admin.post(
      '/v1/memories',
      { content: 'Northwind is on the Gold plan.', onConflict: 'supersede' },
      { 'x-reason': 'mail of 3 May', 'x-cause': 'llm' },
    );
    const links = async () => {
      const { body } = await admin.get('/v1/audit/events?type=MemoriesLinked');
      return body.items.map(({ data, cause, reason }: Json) => [data.source, cause, reason]);
    };
    await expect.poll(links, { timeout: 10_000 }).toEqual(
      expect.arrayContaining([
        [memory.id, 'user', 'onConflict: supersede'],
        [given.body.memory.id, 'llm', 'mail of 3 May'],
      ]),
    );
  });

  it('[A14] [F1] records that an admin saw memories in conflict that a member in its place could not see', async () => {
    const eve = { layer: 'user', scope: { user: 'eve' } };
    await stored(starter, eve);
    const { memory } = await reported(business, eve);
    const reads = async () => {
      const { body } = await admin.get('/v1/audit/events?type=AuditRead');
      return body.items.map(({ data }: Json) => [data.what, data.memoryId, data.items]);
    };
    await expect.poll(reads, { timeout: 10_000 }).toContainEqual(['memory conflicts', memory.id, 1]);
  });

  it('[A14] links nothing that the caller may not write, and nothing that is not sure or is newer', async () => {
    const member = await tenant.key({ user: 'bob', sessions: ['s1'] });
    const session = { layer: 'session', scope: { session: 's1', user: 'bob' } };
    const [unsure, newer] = [
      await stored('The server uses PostgreSQL', session),
      await stored('The harbour office opens again on Monday', {
        ...session,
        occurredAt: '2026-08-01T00:00:00Z',
      }),
    ];
    const first = await reported('The server uses MySQL', { ...session, onConflict: 'supersede' }, member);
    expect(first.conflicts).toMatchObject([{ id: unsure.id, kind: 'contradicts', confidence: 0.5 }]);
    const past = { ...session, occurredAt: '2026-02-01T00:00:00Z', onConflict: 'supersede' };
    const second = await reported('The harbour office opens again on Thursday', past, member);
    expect(second.conflicts).toMatchObject([{ id: newer.id, kind: 'contradicts' }]);
    for (const { memory, position } of [first, second]) expect(await linksOf(memory, position)).toEqual([]);
  });
});

describe('onConflict in other commands that store', () => {
  it('[A12] [A14] in bulk lines, each is compared with the lines before it', async () => {
    const old = await stored(starter);
    const lines = await admin.bulk([
      { content: business, onConflict: 'report' },
      { content: 'Ines speaks Portuguese and German.', onConflict: 'report' },
      { content: 'Northwind is on the Gold plan.', onConflict: 'supersede' },
      { content: 'Ines works from Lisbon.' },
    ]);
    expect(lines.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    for (const { warnings = [] } of lines)
      expect(warnings.every(({ code }: Json) => code === 'conflicts-incomplete')).toBe(true);
    if (lines.some(({ warnings }) => warnings)) return;
    expect(ids(lines[0])).toEqual([old.id]);
    expect(lines[1].conflicts).toEqual([]);
    expect(ids(lines[2]).sort()).toEqual([old.id, lines[0].id].sort());
    expect(lines[3]).not.toHaveProperty('conflicts');
    const { position } = lines[3];
    const links = await linksOf({ id: lines[2].id }, position);
    expect(links.map(({ type }) => type)).toEqual(['supersedes', 'supersedes']);
  });

  it('[A11] [A14] in PUT by externalId, for a new content of the memory itself too', async () => {
    const old = await stored(starter);
    const put = (content: string) =>
      admin.put('/v1/memories/external/plan', { content, onConflict: 'report' });
    const created = await put('Northwind has two offices in Leeds.');
    expect(created).toMatchObject({ status: 201, body: { conflicts: [] } });
    await searchable(created.body.position);
    const changed = await put(business);
    await searchable(changed.body.position);
    expect(changed).toMatchObject({ status: 200, body: { conflicts: [{ id: old.id }] } });
    expect((await put(business)).body).toMatchObject({
      memory: { revision: 1 },
      conflicts: [{ id: old.id }],
    });
  });

  it('[A14] without onConflict, or with ignore, the answer has no conflicts', async () => {
    await stored(starter);
    expect(await admin.store({ content: business })).not.toHaveProperty('conflicts');
    const silver = 'Northwind is on the Silver plan.';
    expect(await admin.store({ content: silver, onConflict: 'ignore' })).not.toHaveProperty('conflicts');
    const gold = 'Northwind is on the Gold plan.';
    const { memory } = await admin.store({ content: gold, onConflict: 'report' });
    expect(memory).not.toHaveProperty('onConflict');
    expectInvalid(await admin.post('/v1/memories', { content: business, onConflict: 'merge' }), 'onConflict');
  });
});

describe('repetitions and races', () => {
  it('[A11] [A14] a repetition answers the same ids and kinds, and makes its reasons anew', async () => {
    const old = await stored(starter);
    const keyed = { 'idempotency-key': 'k1' };
    const send = (): Promise<Reply> =>
      admin.post('/v1/memories', { content: business, onConflict: 'supersede' }, keyed);
    const first = await send();
    expect(first.body.warnings).toBeUndefined();
    await stored('Northwind is on the Gold plan.');
    const second = await send();
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.status).toBe(201);
    expect(second.body).toEqual(first.body);
    const erased = await admin.delete(`/v1/memories/${old.id}?mode=erase`);
    const { body } = await admin.get(`/v1/memories?limit=500&minPosition=${erased.body.position}`);
    const third = await admin.post('/v1/memories', { content: business, onConflict: 'supersede' }, keyed);
    expect(body.items).toHaveLength(2);
    expect(third.body.conflicts.map(({ id, kind }: Json) => [id, kind])).toEqual([[old.id, 'supersedes']]);
    await expect
      .poll(async () => (await send()).body.conflicts[0].reason, { timeout: 10_000 })
      .not.toMatch(/Starter/);
  });

  it('[A14] [F1] no event of a report quotes the memories', async () => {
    await stored(starter);
    await admin.post(
      '/v1/memories',
      { content: business, onConflict: 'supersede' },
      { 'idempotency-key': 'k2' },
    );
    const { body } = await admin.get('/v1/audit/events?limit=500');
    const about = body.items.filter(({ type }: Json) => !/^Memory/.test(type));
    expect(JSON.stringify(about)).not.toMatch(/Starter|Business/);
  });

  it('[A14] nothing is lost while the other memory is erased or deleted', async () => {
    for (let round = 0; round < 8; round++) {
      const old = await stored(`The port of relay ${round}r is 8080`);
      const mode = round % 2 === 0 ? '?mode=erase' : '';
      const [reply, removed] = await Promise.all([
        admin.post('/v1/memories', {
          content: `The port of relay ${round}r is 9090`,
          onConflict: 'supersede',
        }),
        admin.delete(`/v1/memories/${old.id}${mode}`),
      ]);
      expect(removed.status).toBe(200);
      expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
      expect((await admin.get(`/v1/memories/${reply.body.memory.id}`)).status).toBe(200);
    }
  });

  it('[A14] of 8 at once with the same subject all are stored', async () => {
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        admin.post('/v1/memories', { content: `The port of gate q is ${8000 + n}`, onConflict: 'supersede' }),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201));
    for (const { body } of replies) await searchable(body.position);
    const { memory, conflicts } = await reported('The port of gate q is 9999', { onConflict: 'supersede' });
    expect(conflicts.length).toBeGreaterThan(0);
    expect(ids({ conflicts })).not.toContain(memory.id);
  });
});

describe('a store without onConflict', () => {
  it('[A14] is linked to what it contradicts soon after its answer, with the confidence of the finding', async () => {
    const old = await stored(starter);
    const { memory } = await admin.store({ content: business });
    const related = async () => (await admin.get(`/v1/memories/${memory.id}/related`)).body.items as Json[];
    await eventually(related).toMatchObject([
      { memory: { id: old.id }, type: 'contradicts', direction: 'outgoing', confidence: expect.any(Number) },
    ]);
    expect((await related())[0].confidence).toBeLessThan(1);
    const linked = `/v1/audit/events?type=MemoriesLinked&memory=${memory.id}`;
    await eventually(async () => (await admin.get(linked)).body.items as Json[]).toMatchObject([
      { actor: 'system', cause: 'system' },
    ]);
  });

  it('[A14] is compared again when its text is changed, and not if the caller does not want it', async () => {
    const old = await stored(starter);
    const ignored = await admin.store({ content: business, onConflict: 'ignore' });
    const { memory } = await admin.store({ content: 'Northwind has two offices in Leeds.' });
    const { body } = await admin.patch(
      `/v1/memories/${memory.id}`,
      { content: 'Northwind is on the Silver plan.' },
      { 'if-match': '*' },
    );
    const idsLinked = async () => (await linksOf(memory, body.position)).map(({ id }) => id as string).sort();
    await eventually(idsLinked).toEqual([old.id, ignored.memory.id].sort());
    expect(await linksOf(ignored.memory, body.position)).toEqual([
      { id: memory.id, type: 'contradicts', direction: 'incoming' },
    ]);
  });
});
