import { beforeEach, describe, expect, it } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { expectInvalid, expectProblem } from '../support/problem.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
const path = '/v1/memories/validate';
let tenant: Tenant;
let admin: Client;

beforeEach(async () => {
  tenant = await newTenant(server);
  ({ admin } = tenant);
});

async function stored(content: string, fields: Json = {}): Promise<Json> {
  return (await admin.store({ content, ...fields })).memory;
}

async function linked(source: Json, type: string, target: Json, confidence = 1): Promise<string> {
  const link = `/v1/memories/${source.id}/links/${type}/${target.id}`;
  return (await admin.put(link, { confidence })).body.position;
}

async function validated(memories: readonly Json[], client = admin): Promise<Json> {
  const { position } = await admin.store({ content: 'so far' });
  const reply = await client.post(path, {
    ids: memories.map(({ id }) => id),
    minPosition: position,
    waitMs: 25_000,
  });
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  const { position: _, ...found } = reply.body;
  return found;
}

const nothing = { contradictions: [], supersessions: [], notFound: [] };

it('[A14] compares memories stored just before, without a minPosition', async () => {
  for (let round = 0; round < 5; round++) {
    const memories = [await stored(`The port ${round} is 8080`), await stored(`The port ${round} is 9090`)];
    const request = { ids: memories.map(({ id }) => id), waitMs: 25_000 };
    const { body } = await admin.post(path, request);
    expect(body).toMatchObject({ notFound: [], contradictions: [{ memories: request.ids }] });
  }
});

describe('memories in conflict through links', () => {
  it('[A14] [A16] contradict each other with the link as the reason', async () => {
    const [a, b, c] = [await stored('apples'), await stored('bridges'), await stored('clouds')];
    await linked(b, 'contradicts', a, 0.75);
    await linked(b, 'related', c);
    expect(await validated([a, b, c])).toEqual({
      ...nothing,
      contradictions: [
        {
          memories: [a.id, b.id],
          confidence: 0.75,
          reasons: [
            {
              code: 'link',
              detail: expect.any(String),
              confidence: 0.75,
              links: [{ source: b.id, type: 'contradicts', target: a.id, confidence: 0.75 }],
            },
          ],
        },
      ],
    });
    expect(await validated([a, c])).toEqual(nothing);
  });

  it('[A14] supersede each other along a chain, even through memories outside the request', async () => {
    const [a, b, c] = [await stored('apples'), await stored('bridges'), await stored('clouds')];
    await linked(b, 'supersedes', a, 0.5);
    await linked(c, 'supersedes', b, 0.5);
    const { supersessions, contradictions } = await validated([c, a]);
    expect(contradictions).toEqual([]);
    expect(supersessions).toMatchObject([
      {
        memory: a.id,
        supersededBy: c.id,
        confidence: 0.25,
        reasons: [
          {
            code: 'link',
            detail: expect.stringContaining(b.id),
            links: [
              { source: b.id, type: 'supersedes', target: a.id },
              { source: c.id, type: 'supersedes', target: b.id },
            ],
          },
        ],
      },
    ]);
    expect((await validated([a, b, c])).supersessions).toHaveLength(3);
  });

  it('[A14] in a cycle contradict each other, and none supersedes another', async () => {
    const [a, b, c] = [await stored('apples'), await stored('bridges'), await stored('clouds')];
    await linked(b, 'supersedes', a);
    await linked(c, 'supersedes', b);
    await linked(a, 'supersedes', c);
    const { supersessions, contradictions } = await validated([a, b]);
    expect(supersessions).toEqual([]);
    expect(contradictions).toMatchObject([{ memories: [a.id, b.id], reasons: [{ code: 'circle' }] }]);
    expect(contradictions[0].reasons[0].links).toHaveLength(3);
  });
});

describe('conflicts found in the memories themselves', () => {
  const spring = '2026-03-01T00:00:00.000Z';
  const summer = '2026-06-01T00:00:00.000Z';

  it('[A14] by fields: one subject with different values, where the later memory supersedes', async () => {
    const seat = (cabin: string, more: Json = {}) =>
      stored(`a booking in ${cabin}`, {
        metadata: { reservationId: 'H4T', cabin, bags: 1, insurance: 'no' },
        ...more,
      });
    const [late, early] = [
      await seat('business', { occurredAt: summer }),
      await seat('economy', { occurredAt: spring }),
    ];
    const { supersessions, contradictions } = await validated([late, early]);
    expect(contradictions).toEqual([]);
    expect(supersessions).toMatchObject([
      {
        memory: early.id,
        supersededBy: late.id,
        reasons: [
          {
            code: 'restated',
            same: [{ field: 'metadata.reservationId', values: ['H4T', 'H4T'] }],
            differs: [
              { field: 'metadata.cabin', values: ['economy', 'business'] },
              { field: 'occurredAt', values: [spring, summer] },
            ],
          },
        ],
      },
    ]);
    const undated = await seat('first');
    expect((await validated([late, undated])).contradictions).toMatchObject([
      { reasons: [{ code: 'restated', differs: [{ field: 'metadata.cabin' }] }] },
    ]);
  });

  it('[A14] by a field that names what the memory replaces', async () => {
    const rule = (number: string, more: Json = {}) =>
      stored(`rule number ${number}`, { metadata: { rule: number, ...more } });
    const [old, other, fresh] = [
      await rule('R-7'),
      await rule('R-8'),
      await rule('R-9', { replaces: ['R-7'] }),
    ];
    expect((await validated([old, other, fresh])).supersessions).toMatchObject([
      {
        memory: old.id,
        supersededBy: fresh.id,
        reasons: [{ code: 'declared', field: 'metadata.replaces', value: 'R-7' }],
      },
    ]);
  });

  it.each([
    [
      'number',
      'The nightly export keeps its files for 30 days',
      'The nightly export keeps its files for 90 days',
    ],
    ['date', 'The harbour office opens again on Monday', 'The harbour office opens again on Thursday'],
    [
      'negation',
      'The payment service retries a failed request',
      'The payment service does not retry a failed request',
    ],
    [
      'name',
      'The search cluster is hosted in Frankfurt today',
      'The search cluster is hosted in Dublin today',
    ],
  ])('[A14] by a %s in which two texts differ', async (difference, one, other) => {
    const [a, b] = [await stored(one), await stored(other)];
    const { contradictions } = await validated([a, b]);
    expect(contradictions).toMatchObject([
      { memories: [a.id, b.id], reasons: [{ code: 'wording', difference, passages: [one, other] }] },
    ]);
    for (const [index, words] of contradictions[0].reasons[0].words.entries())
      expect([one, other][index]).toContain(words);
  });

  it.each([
    [
      'about different subjects',
      'Alice leads the search team in Frankfurt',
      'Bob leads the search team in Frankfurt',
    ],
    [
      'about different steps',
      'In step 3 the export is checked by hand',
      'In step 4 the export is checked by hand',
    ],
    ['that say the same', 'The nightly export keeps its files', 'The nightly export keeps its files'],
    ['that are merely similar', 'The export keeps files for 30 days', 'The import drops lines after 90 days'],
  ])('[A14] not between texts %s', async (_, one, other) => {
    expect(await validated([await stored(one), await stored(other)])).toEqual(nothing);
  });

  it('[A14] in short texts, if both statements about one subject cannot hold', async () => {
    const pairs = [
      ['Alice is vegetarian.', 'Alice is not vegetarian.'],
      ['The API uses JWT', 'The API does not use JWT'],
      ['Deploys are always reviewed.', 'Deploys are never reviewed.'],
      ['The meeting is on Monday.', 'The meeting is on Tuesday.'],
      ['The release is on 3 May 2024.', 'The release is on 4 May 2024.'],
      ['The port is 8080', 'The port is 9090'],
      ['Mia lives in Berlin.', 'Mia lives in Munich.'],
      ['Dark mode is enabled.', 'Dark mode is disabled.'],
      ['The server uses PostgreSQL.', 'The server uses MySQL.'],
    ] as const;
    const others = [
      'Mia likes tea.',
      'Mia likes coffee.',
      'Step 1 is done.',
      'Step 2 is not done.',
      'Anna met Bob.',
      'Anna met Carl.',
      'Alice works on search.',
      'Bob works on search.',
      'The server uses Redis.',
      'Mia lives in Germany.',
      'Backups are kept for 30 days.',
      'Backups are kept for thirty days.',
    ];
    const memories: Json[] = [];
    for (const content of [...pairs.flat(), ...others]) memories.push(await stored(content));
    const contents = new Map(memories.map(({ id, content }) => [id, content]));
    const { contradictions, supersessions } = await validated(memories);
    expect(supersessions).toEqual([]);
    expect(
      contradictions.map(({ memories: ids }: Json) => ids.map((id: string) => contents.get(id))),
    ).toEqual(pairs);
  });

  it.each([
    ['a preference', 'Ines prefers to be contacted by phone.', 'Ines prefers to be contacted by e-mail.'],
    ['a plan', 'Northwind is on the Starter plan.', 'Northwind is on the Business plan.'],
    [
      'a moved date',
      'The opening of the Graz office is on 1 September.',
      'The opening of the Graz office moved to 1 October.',
    ],
    ['an end', 'Please call Otto about renewals.', 'Otto does not want to be called any more.'],
    ['an owner', 'The owner of the billing service is Lena.', 'Billing is owned by Tomas since May.'],
    ['an address', 'Their office is at Marktgasse 4 in Bern.', 'They moved to Seestrasse 11 in Zurich.'],
    ['a price', 'The list price is 40 EUR a seat.', 'From July on a seat costs 46 EUR.'],
  ])('[A14] in everyday notes, by %s, quoting both sentences', async (_, one, other) => {
    const [a, b] = [await stored(`${one} Noted by Jo.`), await stored(other)];
    const { contradictions } = await validated([a, b]);
    expect(contradictions).toMatchObject([
      { memories: [a.id, b.id], reasons: [{ code: 'update', passages: [one, other] }] },
    ]);
    for (const [index, words] of contradictions[0].reasons[0].words.entries())
      expect([one, other][index]).toContain(words);
  });

  it('[A14] not between notes that say different things about one subject', async () => {
    const notes = ['Ines works from Lisbon.', 'Ines speaks Portuguese and German.', 'Ines has 14 desks.'];
    const memories: Json[] = [];
    for (const note of notes) memories.push(await stored(note));
    expect(await validated(memories)).toEqual(nothing);
  });

  it('[A14] [I4] a memory of 1,000,000 characters does not hold up other requests', async () => {
    const sentence = 'The owner of dock 7 moved from Monday 10:00 to 11:30, now 40 EUR a seat. ';
    const long = sentence.repeat(Math.ceil(1_000_000 / sentence.length)).slice(0, 1_000_000);
    const memories = [
      await stored(long),
      await stored(`x${long.slice(1)}`),
      await stored('Dock 7 is closed.'),
    ];
    const validation = validated(memories);
    let isDone = false;
    void validation.finally(() => (isDone = true));
    while (!isDone) {
      const startedAt = performance.now();
      await admin.get('/livez');
      expect(performance.now() - startedAt).toBeLessThan(2_000);
    }
    expect((await validation).notFound).toEqual([]);
  }, 60_000);

  it('[A14] not between texts about different places, persons or parts', async () => {
    const keeps = (days: number) => `The nightly export keeps its files for ${days} days`;
    const team = (name: string, days: number) =>
      stored(keeps(days), { layer: 'team', scope: { team: name } });
    expect(await validated([await team('a', 30), await team('b', 90)])).toEqual(nothing);
    const part = (section: string, state: string) =>
      stored(section, { metadata: { title: 'Handbook', section, state, owner: 'ada', language: 'en' } });
    expect(await validated([await part('intro', 'draft'), await part('end', 'final')])).toEqual(nothing);
  });

  it('[A14] the same for any order of the ids and for repeated requests', async () => {
    const memories = [
      await stored('The nightly export keeps its files for 30 days'),
      await stored('The nightly export keeps its files for 60 days'),
      await stored('The nightly export keeps its files for 90 days'),
    ];
    const forward = await validated(memories);
    expect(forward.contradictions).toHaveLength(3);
    expect(await validated([...memories].reverse())).toEqual(forward);
    expect(await validated([...memories, ...memories])).toEqual(forward);
  });
});

describe('input and permissions of validate', () => {
  it('[A14] unknown, hidden, deleted and foreign ids answer the same and reveal nothing', async () => {
    const member = await tenant.key({ user: 'bob' });
    const says = (days: number) => ({ content: `The nightly export keeps its files for ${days} days` });
    const { memory: own } = await member.store(says(30));
    const hidden = await stored(says(60).content);
    const { memory: deleted } = await member.store(says(90));
    await member.delete(`/v1/memories/${deleted.id}`);
    const { memory: foreign } = await (await newTenant(server)).admin.store(says(120));
    const unknown = [{ id: '018f0000-0000-7000-8000-000000000000' }, { id: 'no-id' }];
    const others = [hidden, deleted, foreign, ...unknown];
    expect(await validated([own, ...others], member)).toEqual({
      ...nothing,
      notFound: others.map(({ id }) => id),
    });
  });

  it('[A14] a link between two memories is shown only to callers who can see both', async () => {
    const member = await tenant.key({ user: 'bob' });
    const [a, b] = [await stored('apples', { layer: 'company' }), await stored('bridges')];
    const c = await stored('clouds', { layer: 'company' });
    await linked(b, 'supersedes', a);
    await linked(c, 'supersedes', b);
    expect((await validated([a, c])).supersessions).toHaveLength(1);
    expect(await validated([a, c], member)).toEqual(nothing);
  });

  it('[A14] 1 to 100 ids are accepted, and any other error is named', async () => {
    const ids = (count: number) => Array.from({ length: count }, (_, n) => `x${n}`);
    expectInvalid(await admin.post(path, {}), 'ids');
    expectInvalid(await admin.post(path, { ids: [] }), 'ids');
    expectInvalid(await admin.post(path, { ids: ids(101) }), 'ids');
    expectInvalid(await admin.post(path, { ids: [7] }), 'ids.0');
    expectInvalid(await admin.post(path, { ids: ['a', ''] }), 'ids.1');
    expectInvalid(await admin.post(path, { ids: ids(1), scope: {} }), 'scope');
    expectInvalid(await admin.post(path, { ids: ids(1), waitMs: 30_001 }), 'waitMs');
    expectProblem(await admin.post(path, { ids: ids(1), minPosition: 'x' }), 400, 'position-unknown');
    expect((await admin.post(path, { ids: ids(100) })).body.notFound).toHaveLength(100);
  });

  it('[A14] [F1] a validation by an auditor is recorded as an event and not as an access', async () => {
    const [a, b] = [await stored('apples'), await stored('bridges')];
    await validated([a, b]);
    const reads = async () => (await admin.get('/v1/audit/events?type=AuditRead')).body.items;
    await expect
      .poll(async () => (await reads()).map(({ data }: Json) => [data.what, data.items]), { timeout: 20_000 })
      .toContainEqual(['memory validation', 2]);
    expect((await admin.get(`/v1/memories/${a.id}`)).body.accessCount).toBe(0);
  });
});
