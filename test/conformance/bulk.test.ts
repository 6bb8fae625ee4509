import { beforeEach, describe, expect, it } from 'vitest';
import type { Client, Json, Reply } from '../support/api.ts';
import { expectInvalid, expectProblem } from '../support/problem.ts';
import { placeOf } from '../support/log-reader.ts';
import { slowBulk } from '../support/slow-bulk.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
let tenant: Tenant;
let admin: Client;

beforeEach(async () => {
  tenant = await newTenant(server);
  ({ admin } = tenant);
});

const ndjson = { 'content-type': 'application/x-ndjson' };
const many = (count: number) => Array.from({ length: count }, (_, n) => ({ content: `memory ${n}` }));

async function sent(raw: string | Uint8Array, headers: Record<string, string> = {}): Promise<Json[]> {
  const reply: Reply = await admin.send('POST', '/v1/memories/bulk', {
    raw,
    headers: { ...ndjson, ...headers },
  });
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toMatch(/^application\/x-ndjson/);
  if (reply.body === undefined) return [];
  return Array.isArray(reply.body) ? reply.body : [reply.body];
}

async function contents(position: string): Promise<string[]> {
  const { body } = await admin.get(`/v1/memories?limit=500&minPosition=${position}`);
  return body.items.map(({ content }: Json) => content).reverse();
}

describe('bulk store', () => {
  it('[A12] answers each line in order with its id, and stores exactly what it acknowledges', async () => {
    const lines = await admin.bulk(many(300));
    expect(lines.map(({ line }) => line)).toEqual(many(300).map((_, n) => n + 1));
    expect(new Set(lines.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(lines.map(({ id }) => id)).size).toBe(300);
    for (const n of [0, 150, 299]) {
      expect((await admin.get(`/v1/memories/${lines[n].id}`)).body.content).toBe(`memory ${n}`);
    }
    expect((await contents(lines.at(-1).position)).sort()).toEqual(
      many(300)
        .map(({ content }) => content)
        .sort(),
    );
  });

  it('[A12] accepts the same fields as a single store', async () => {
    const memory = {
      content: 'Use argon2id.',
      layer: 'team',
      scope: { team: 'api' },
      spaces: ['dev'],
      tags: ['t'],
      metadata: { n: 1 },
      externalId: 'adr-7',
      occurredAt: '2024-05-01T12:30:00.000Z',
      representations: { code: 'x' },
    };
    const [line] = await admin.bulk([memory]);
    expect(line).toMatchObject({ line: 1, status: 201, externalId: 'adr-7' });
    expect((await admin.get(`/v1/memories/${line.id}`)).body).toMatchObject({
      ...memory,
      scope: { company: tenant.id, team: 'api' },
    });
  });

  it('[A12] [A8] keeps the line order of a session’s turns that have no time or the same time', async () => {
    const turn = (n: number) => ({
      content: `turn ${n}`,
      layer: 'session',
      scope: { session: `s${n % 2}` },
      // All turns of one of the sessions have the same time.
      ...(n % 2 === 1 && { occurredAt: '2024-05-01T12:30:00.000Z' }),
      // Lines with an externalId to claim, or with a subject of their own, take longer to write.
      ...(n % 3 === 0 && { externalId: `turn-${n}` }),
      ...(n % 4 === 0 && { subject: `person-${n}` }),
    });
    const lines = await admin.bulk(Array.from({ length: 60 }, (_, n) => turn(n)));
    const positions: number[] = [];
    for (const { id } of lines) {
      const { body } = await admin.get(`/v1/memories/${id}/history`);
      positions.push(placeOf(body.items[0].position));
    }
    for (const session of [0, 1]) {
      const own = positions.filter((_, n) => n % 2 === session);
      expect(own).toEqual(own.toSorted((left, right) => left - right));
    }
  });

  it('[A12] applies the reason and cause of the request to every line', async () => {
    const lines = await admin.bulk(many(2), { 'x-reason': 'first load', 'x-cause': 'system' });
    for (const { id } of lines) {
      const { body } = await admin.get(`/v1/memories/${id}/history`);
      expect(body.items).toMatchObject([{ reason: 'first load', cause: 'system', actor: 'user:ada' }]);
    }
  });

  it('[A12] continues after an invalid line and says what is wrong with it', async () => {
    const lines = await admin.bulk([
      { content: 'one' },
      '{"content": "broken',
      { content: '', colour: 'red' },
      'null',
      { content: 'five', layer: 'team' },
      { content: 'six' },
    ]);
    expect(lines.map(({ line, status }) => [line, status])).toEqual([
      [1, 201],
      [2, 400],
      [3, 400],
      [4, 400],
      [5, 400],
      [6, 201],
    ]);
    expect(lines[1].problem).toMatchObject({ status: 400, code: 'malformed-json' });
    expect(lines[2].problem.errors.map(({ path }: Json) => path).sort()).toEqual(['colour', 'content']);
    expect(lines[4].problem.errors[0].path).toBe('scope.team');
    for (const { problem } of lines.filter(({ status }) => status !== 201)) {
      expect(problem).toMatchObject({
        type: expect.any(String),
        title: expect.any(String),
        detail: expect.any(String),
      });
    }
    expect(lines.filter(({ id }) => id !== undefined)).toHaveLength(2);
    expect(await contents(lines.at(-1).position)).toEqual(['one', 'six']);
  });

  it('[A12] rejects only the lines that the caller may not write', async () => {
    const member = await tenant.key({ user: 'bob' });
    const lines = await member.bulk([{ content: 'mine' }, { content: 'ours', layer: 'company' }]);
    expect(lines.map(({ status }) => status)).toEqual([201, 403]);
    expect(lines[1].problem.code).toBe('forbidden');
  });

  it('[A12] skips blank lines but counts them, and accepts CRLF and a missing final newline', async () => {
    const lines = await sent('\n{"content":"two"}\r\n\r\n   \n{"content":"five"}\n\n{"content":"seven"}');
    expect(lines.map(({ line, status }) => [line, status])).toEqual([
      [2, 201],
      [5, 201],
      [7, 201],
    ]);
  });

  it.each([
    ['nothing', ''],
    ['blank lines', '\n\r\n  \n'],
  ])('[A12] answers a body of %s with nothing', async (_, raw) => {
    expect(await sent(raw)).toEqual([]);
  });

  it('[A12] accepts a line of 8,000,000 bytes and rejects a longer one', async () => {
    const fitting = '{"content":"fits"}'.padEnd(8_000_000, ' ');
    const lines = await sent(
      `{"content":"first"}\n${fitting}\n${fitting} \n{"content":"last"}\n${'x'.repeat(8_500_000)}`,
    );
    expect(lines.map(({ line, status }) => [line, status])).toEqual([
      [1, 201],
      [2, 201],
      [3, 413],
      [4, 201],
      [5, 413],
    ]);
    expect(lines[2].problem.code).toBe('body-too-large');
  });

  it('[A12] has no limit on the total size', async () => {
    const memory = { content: 'x'.repeat(150_000), duplicates: 'keep' };
    const lines = await admin.bulk(Array.from({ length: 40 }, () => memory));
    expect(lines.map(({ status }) => status)).toEqual(lines.map(() => 201));
    expect(lines).toHaveLength(40);
  });

  it('[A12] rejects a line that is not UTF-8', async () => {
    const bad = Buffer.concat([
      Buffer.from('{"content":"'),
      Buffer.from([0xff]),
      Buffer.from('"}\n{"content":"ok"}'),
    ]);
    const lines = await sent(bad);
    expect(lines.map(({ status }) => status)).toEqual([400, 201]);
    expect(lines[0].problem.code).toBe('malformed-json');
  });

  it('[A12] stores only the first of two lines with the same externalId', async () => {
    const line = (n: number) => ({ content: `line ${n}`, externalId: 'e' });
    const lines = await admin.bulk([line(1), { content: 'between' }, line(3), ...many(100), line(104)]);
    const twins = [lines[0], lines[2], lines[103]];
    expect(twins.map(({ status }) => status)).toEqual([201, 409, 409]);
    expect(twins[1].problem).toMatchObject({ code: 'external-id-taken', memoryId: lines[0].id });
    expect(twins[2]).toMatchObject({ line: 104, externalId: 'e' });
    expect((await admin.get(`/v1/memories/${lines[0].id}`)).body.content).toBe('line 1');
  });

  it('[A12] gives an externalId to the first valid line that has it', async () => {
    const lines = await admin.bulk([
      { content: '', externalId: 'e' },
      { content: 'second', externalId: 'e' },
      { content: 'third', externalId: 'e' },
    ]);
    expect(lines.map(({ status }) => status)).toEqual([400, 201, 409]);
  });

  it('[A12] returns positions that cover all lines so far', async () => {
    const lines = await admin.bulk(many(200).map((memory, n) => (n % 7 === 3 ? '{' : memory)));
    for (const n of [0, 3, 64, 100, 199]) {
      const done = lines.slice(0, n + 1).filter(({ status }) => status === 201);
      const { body } = await admin.get(`/v1/memories?limit=500&asOf=${lines[n].position}`);
      const seen = body.items.map(({ id }: Json) => id);
      expect(seen).toEqual(expect.arrayContaining(done.map(({ id }) => id)));
    }
  });
});

describe('bulk store while reading', () => {
  it('[A12] answers each line before the next one arrives', async () => {
    const bulk = slowBulk(server, admin);
    for (let n = 1; n <= 3; n++) {
      await bulk.send({ content: `slow ${n}` });
      const line = await bulk.line();
      expect(line).toMatchObject({ line: n, status: 201 });
      expect((await admin.get(`/v1/memories/${line.id}`)).body.content).toBe(`slow ${n}`);
    }
    await bulk.write('{"content":');
    await bulk.write('"in pieces"}');
    bulk.end();
    expect(await bulk.line()).toMatchObject({ line: 4, status: 201 });
    expect(await bulk.line()).toBeUndefined();
  });

  it('[A12] keeps acknowledged lines when the sender disconnects', async () => {
    const bulk = slowBulk(server, admin);
    await bulk.send({ content: 'answered' });
    const { id, position } = await bulk.line();
    await bulk.write('{"content":"never fini');
    bulk.cut();
    expect((await admin.get(`/v1/memories/${id}`)).body.content).toBe('answered');
    const { position: later } = await admin.store({ content: 'after it' });
    expect(later).not.toBe(position);
    expect(await contents(later)).toEqual(['answered', 'after it']);
  });
});

describe('bulk store with an Idempotency-Key', () => {
  const key = { 'idempotency-key': 'load-1' };

  it('[A12] replays every line of a repeated request and stores nothing', async () => {
    const body = [...many(100), '{', { content: 'named', externalId: 'e' }];
    const first = await admin.bulk(body, key);
    const again = await admin.bulk(body, key);
    const shown = ({ line, status, id, externalId, position, problem }: Json) => ({
      line,
      status,
      id,
      externalId,
      position,
      code: problem?.code,
    });
    expect(again.map(shown)).toEqual(first.map(shown));
    expect(await contents(again.at(-1).position)).toHaveLength(101);
  });

  it('[A12] resumes an upload that was interrupted', async () => {
    const bulk = slowBulk(server, admin, key);
    for (const memory of many(3)) await bulk.send(memory);
    const begun = [await bulk.line(), await bulk.line(), await bulk.line()];
    bulk.cut();
    const lines = await admin.bulk(many(10), key);
    expect(lines.slice(0, 3).map(({ id }) => id)).toEqual(begun.map(({ id }) => id));
    expect(lines.map(({ status }) => status)).toEqual(lines.map(() => 201));
    expect(await contents(lines.at(-1).position)).toHaveLength(10);
  });

  it('[A12] rejects only the lines that changed', async () => {
    const first = await admin.bulk(many(3), key);
    const changed = many(3).with(1, { content: 'changed' });
    const lines = await admin.bulk(changed, key);
    expect(lines.map(({ status }) => status)).toEqual([201, 422, 201]);
    expect(lines[1].problem.code).toBe('idempotency-key-reused');
    expect(lines[0].id).toBe(first[0].id);
    expect(await contents(lines.at(-1).position)).toEqual(many(3).map(({ content }) => content));
  });

  it('[A12] accepts a corrected line that was invalid before', async () => {
    await admin.bulk([{ content: 'one' }, { content: '' }], key);
    const lines = await admin.bulk([{ content: 'one' }, { content: 'two' }], key);
    expect(lines.map(({ status }) => status)).toEqual([201, 201]);
    expect(await contents(lines.at(-1).position)).toEqual(['one', 'two']);
  });

  it('[A12] stores each line once when the same upload runs twice at the same time', async () => {
    const [one, two] = await Promise.all([admin.bulk(many(100), key), admin.bulk(many(100), key)]);
    expect(two.map(({ id }) => id)).toEqual(one.map(({ id }) => id));
    expect(await contents(one.at(-1).position)).toHaveLength(100);
  });

  it('[A12] stores the lines again when no key is given', async () => {
    const kept = many(2).map((line) => ({ ...line, duplicates: 'keep' }));
    await admin.bulk(kept);
    const lines = await admin.bulk(kept);
    expect(await contents(lines.at(-1).position)).toHaveLength(4);
  });
});

describe('an invalid bulk request', () => {
  it('[A12] answers 415 for another media type, 400 for an invalid key or cause, and 401 without a valid credential', async () => {
    const send = (headers: Record<string, string>) =>
      admin.send('POST', '/v1/memories/bulk', { raw: '{"content":"x"}\n', headers });
    expectProblem(await send({ 'content-type': 'application/json' }), 415, 'unsupported-media-type');
    expectProblem(await send({ 'content-type': 'text/plain' }), 415, 'unsupported-media-type');
    expectInvalid(await send({ ...ndjson, 'idempotency-key': 'a b' }), 'Idempotency-Key');
    expectInvalid(await send({ ...ndjson, 'x-cause': 'weather' }), 'X-Cause');
    expectProblem(await send({ ...ndjson, authorization: 'Bearer nobody' }), 401, 'unauthenticated');
    expect((await admin.get('/v1/memories')).body.items).toEqual([]);
  });
});
