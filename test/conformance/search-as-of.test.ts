import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { expectInvalid, expectProblem } from '../support/problem.ts';
import { newTenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');

async function search(client: Client, query: string, more: object = {}): Promise<Json[]> {
  const request = { query, threshold: 0, order: 'relevance', topK: 50, waitMs: 30_000, ...more };
  let reply = await client.post('/v1/search', request);
  // Another file may have stored thousands of memories that the read models apply before.
  while (reply.body.code === 'position-timeout') reply = await client.post('/v1/search', request);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  const { results, warnings } = reply.body;
  const leftOut = warnings.filter(({ code }: Json) => code === 'below-threshold');
  expect(warnings).toEqual(results.length === 0 ? leftOut : []);
  return results;
}

const contents = (results: Json[]): string[] => results.map(({ memory }) => memory.content);

/** Everything but the counters, which are always current. */
function withoutCounters({ accessCount: _, lastAccessedAt: __, ...memory }: Json): Json {
  return memory;
}

describe('a search as of a position', () => {
  it('[A5] finds the memories as they were then, by the texts they had', async () => {
    const { admin } = await newTenant(server);
    const before = await admin.store({ content: 'The harbour opens at noon' });
    const created = await admin.store({ content: 'The ferry to the island is blue', tags: ['old'] });
    const path = `/v1/memories/${created.memory.id}`;
    const any = { 'if-match': '*' };
    const changed = (await admin.patch(path, { content: 'A train through the mountains' }, any)).body;
    const gone = (await admin.delete(path)).body;
    const back = (await admin.post(`${path}/restore`)).body;
    const found = async (asOf: string, query: string) =>
      contents(await search(admin, query, { asOf, threshold: 0.8 }));

    expect(await found(before.position, 'ferry to the island')).toEqual([]);
    expect(await found(created.position, 'ferry to the island')).toEqual([created.memory.content]);
    expect(await found(created.position, 'train through mountains')).toEqual([]);
    expect(await found(changed.position, 'ferry to the island')).toEqual([]);
    expect(await found(changed.position, 'train through mountains')).toEqual([changed.memory.content]);
    expect(await found(gone.position, 'train through mountains')).toEqual([]);
    expect(await found(back.position, 'train through mountains')).toEqual([changed.memory.content]);

    const [{ memory }] = await search(admin, 'ferry to the island', { asOf: created.position });
    expect(withoutCounters(memory)).toEqual(withoutCounters(created.memory));
  });

  it('[A5] returns the position, and accepts a time instead', async () => {
    const { admin } = await newTenant(server);
    const { memory, position } = await admin.store({ content: 'The bridge is closed' });
    await sleep(5);
    const changed = await admin.patch(
      `/v1/memories/${memory.id}`,
      { content: 'The bridge is open' },
      { 'if-match': '*' },
    );
    const request = { query: 'bridge', threshold: 0, asOf: position };
    expect((await admin.post('/v1/search', request)).body.position).toBe(position);
    const earlier = new Date(Date.parse(changed.body.memory.updatedAt) - 1).toISOString();
    expect(contents(await search(admin, 'bridge', { asOf: earlier }))).toEqual(['The bridge is closed']);
    expect(contents(await search(admin, 'bridge', { asOf: changed.body.memory.updatedAt }))).toEqual([
      'The bridge is open',
    ]);
    expect(await search(admin, 'bridge', { asOf: '1999-01-01T00:00:00Z' })).toEqual([]);
  });

  it('[A5] filters by the values that memories had then', async () => {
    const { admin } = await newTenant(server);
    const created = await admin.store({
      content: 'The meeting is on Monday',
      tags: ['draft'],
      spaces: ['inbox'],
      metadata: { stage: 1 },
    });
    const change = { tags: ['final'], spaces: ['archive'], metadata: { stage: 2 } };
    const { position } = (await admin.patch(`/v1/memories/${created.memory.id}`, change, { 'if-match': '*' }))
      .body;
    const count = async (asOf: string, narrow: object) =>
      (await search(admin, 'meeting on Monday', { asOf, ...narrow })).length;
    for (const [old, now] of [
      [{ tags: ['draft'] }, { tags: ['final'] }],
      [{ spaces: ['inbox'] }, { spaces: ['archive'] }],
      [{ filter: { 'metadata.stage': { eq: 1 } } }, { filter: { 'metadata.stage': { gt: 1 } } }],
    ]) {
      expect(await count(created.position, old!)).toBe(1);
      expect(await count(created.position, now!)).toBe(0);
      expect(await count(position, old!)).toBe(0);
      expect(await count(position, now!)).toBe(1);
    }
  });

  it('[A5] returns what a search then returned, with equal scores if the tenant has the same memories', async () => {
    const { admin } = await newTenant(server);
    const turn = (minute: number, content: string, more: object = {}) => ({
      content,
      layer: 'session',
      scope: { session: 's1', user: 'ada' },
      occurredAt: `2025-03-01T12:${String(minute).padStart(2, '0')}:00Z`,
      ...more,
    });
    const lines = await admin.bulk([
      turn(0, 'Ben: How was the pottery workshop in the old mill?'),
      turn(1, 'Ann: Wonderful, I made two bowls.'),
      turn(2, 'The third turn is about the weather', { metadata: { speaker: 'Ann' } }),
      { content: 'Bowls and cups are sold on Saturdays in the workshop' },
      { content: 'Nothing of the sort' },
    ]);
    const at = lines.at(-1).position;
    const queries = ['What did Ann make in the pottery workshop?', 'weather in March', 'bowls', 'the of and'];
    const plain = async (more: object) => Promise.all(queries.map((query) => search(admin, query, more)));
    const shown = (answers: Json[][]) =>
      answers.map((results) =>
        results.map(({ memory, score }) => [withoutCounters(memory), score.toFixed(4)]),
      );
    const answered = shown(await plain({ minPosition: at }));
    expect(shown(await plain({ asOf: at }))).toEqual(answered);

    // Two turns swap their texts, so that word frequencies do not change; one also changes its speaker.
    const any = { 'if-match': '*' };
    const [first, , third] = lines.map(({ id }) => `/v1/memories/${id}`);
    await admin.patch(first!, { content: 'The third turn is about the weather' }, any);
    const swap = {
      content: 'Ben: How was the pottery workshop in the old mill?',
      metadata: { speaker: 'Ben' },
    };
    const { position: minPosition } = (await admin.patch(third!, swap, any)).body;
    expect(shown(await plain({ minPosition }))).not.toEqual(answered);
    expect(shown(await plain({ asOf: at, minPosition }))).toEqual(answered);
  });

  it('[A5] never shows erased memories', async () => {
    const { admin } = await newTenant(server);
    const { memory, position } = await admin.store({ content: 'The password of the safe' });
    const kept = await admin.store({ content: 'The safe stands in the hall' });
    const erased = await admin.delete(`/v1/memories/${memory.id}?mode=erase`);
    expect(erased.status).toBe(200);
    const more = { minPosition: erased.body.position };
    expect(await search(admin, 'password of the safe', { asOf: position, ...more })).toEqual([]);
    expect(contents(await search(admin, 'password of the safe', { asOf: kept.position, ...more }))).toEqual([
      'The safe stands in the hall',
    ]);
  });

  it('[A5] is recorded, and counts accesses of what it returned', async () => {
    const { admin } = await newTenant(server);
    const { memory, position } = await admin.store({ content: 'The ledger of the year' });
    await search(admin, 'ledger', { asOf: position });
    await expect
      .poll(async () => (await admin.get(`/v1/memories/${memory.id}`)).body.accessCount, { timeout: 20_000 })
      .toBe(1);
  });
});

describe('visibility in a search as of a position', () => {
  it('[I2] is no wider than in a current search', async () => {
    const { admin, key } = await newTenant(server);
    const ann = await key({ user: 'ann', teams: ['red'] });
    const [mine, ours, hers] = [
      { content: 'The plan of Ann', layer: 'user', scope: { user: 'ann' } },
      { content: 'The plan of the red team', layer: 'team', scope: { team: 'red' } },
      { content: 'The plan of Eve', layer: 'user', scope: { user: 'eve' } },
    ];
    const lines = await admin.bulk([mine, ours, hers, { ...ours, scope: { team: 'blue' } }]);
    const asOf = lines.at(-1).position;
    await Promise.all(lines.map(({ id }) => admin.delete(`/v1/memories/${id}`)));
    expect(contents(await search(ann, 'plan', { asOf })).sort()).toEqual([mine!.content, ours!.content]);
    expect(contents(await search(admin, 'plan', { asOf }))).toHaveLength(4);
    const other = await newTenant(server);
    expect(await search(other.admin, 'plan', { asOf })).toEqual([]);
    const narrow = { asOf, layers: ['team'], scope: { team: 'red' } };
    expect(contents(await search(admin, 'plan', narrow))).toEqual([ours!.content]);
  });

  it('[A5] scores do not depend on how common a word has become since', async () => {
    const { admin } = await newTenant(server);
    const { memory } = await admin.store({ content: 'The turbine hums in the cellar' });
    const gone = await admin.store({ content: 'The turbine was sold' });
    const { position: asOf } = await admin.store({ content: 'A letter about the garden' });
    const scores = async (more: object) =>
      (await search(admin, 'turbine in the cellar', more)).map(({ memory, score }) => [
        memory.content,
        score.toFixed(6),
      ]);
    const answered = await scores({ minPosition: asOf });
    await admin.bulk(
      Array.from({ length: 12 }, (_, n) => ({ content: `The turbine of cellar ${n}`, duplicates: 'keep' })),
    );
    await admin.patch(`/v1/memories/${memory.id}`, { content: 'Something else' }, { 'if-match': '*' });
    const { position: minPosition } = (await admin.delete(`/v1/memories/${gone.memory.id}`)).body;
    expect(await scores({ asOf, minPosition })).toEqual(answered);
  });

  it('[I2] scores reveal nothing of texts that the caller cannot read', async () => {
    const { admin, key } = await newTenant(server);
    const ann = await key({ user: 'ann' });
    const turn = (user: string, content: string) => ({
      content,
      layer: 'session',
      scope: { session: 's1', user },
    });
    await admin.store(turn('ann', 'Wonderful, I made two bowls.'));
    const text = 'How was the pottery workshop?';
    // The words are equally rare at both times: only the session differs.
    const elsewhere = { ...turn('eve', text), scope: { session: 's2', user: 'eve' } };
    const { memory, position: alone } = await admin.store(elsewhere);
    await admin.delete(`/v1/memories/${memory.id}`);
    const { position: beside } = await admin.store(turn('eve', text));
    const score = async (asOf: string) =>
      (await search(ann, 'pottery workshop bowls', { asOf, minPosition: beside }))[0].score;
    expect(await score(beside)).toBe(await score(alone));
  });
});

describe('an invalid asOf in a search', () => {
  it('[A5] is rejected as in any read', async () => {
    const { admin } = await newTenant(server);
    const { position } = await admin.store({ content: 'a memory' });
    const ask = (asOf: unknown, more: object = {}) =>
      admin.post('/v1/search', { query: 'memory', asOf, ...more });
    expectInvalid(await ask(new Date(Date.now() + 3_600_000).toISOString()), 'asOf');
    expectInvalid(await ask(null), 'asOf');
    for (const asOf of ['yesterday', '2024-01-01', '0', '']) {
      const refused = await ask(asOf);
      expectProblem(refused, 400, 'position-unknown', 'asOf');
      expect(refused.body.detail).toMatch(/^asOf must be a position.* or an RFC 3339 time with an offset/);
    }
    const foreign = await ask('000000000000-1');
    expectProblem(foreign, 400, 'position-unknown', 'asOf');
    expect(foreign.body.detail).toBe('asOf is not a position of this log');
    const ahead = position.replace(/-[^-]+$/, '-zzzzzz');
    expectProblem(await ask(ahead, { waitMs: 50 }), 504, 'position-timeout');
  });

  it('[A5] [F3] is answered by read models of that position if too many texts have changed since', async () => {
    const { admin } = await newTenant(server);
    const count = 1_001;
    const bulk = (text: string) =>
      admin.bulk(
        Array.from({ length: count }, (_, n) => ({
          content: `${text} ${n}`,
          tags: [n < 205 ? 'few' : 'many'],
          externalId: `note-${n}`,
          upsert: true,
        })),
      );
    const asOf = (await bulk('The note')).at(-1).position;
    const changes = await bulk('Another text');
    expect(changes.every(({ status }: Json) => status === 200)).toBe(true);
    const { position } = await admin.store({ content: 'last' });
    const ask = (more: object) =>
      admin.post('/v1/search', {
        query: 'note',
        threshold: 0,
        asOf,
        minPosition: position,
        waitMs: 30_000,
        ...more,
      });
    for (const [more, count] of [
      [{ tags: ['few'], topK: 300 }, 205],
      [{ topK: 300 }, 300],
    ] as const) {
      const { results, warnings, position: answered } = (await ask(more)).body;
      expect(warnings).toEqual([]);
      expect(answered).toBe(asOf);
      expect(results).toHaveLength(count);
      expect(results.every(({ memory }: Json) => memory.content.startsWith('The note'))).toBe(true);
    }
  });
});
