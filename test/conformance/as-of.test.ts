import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Client, Json, Reply } from '../support/api.ts';
import { expectInvalid, expectProblem } from '../support/problem.ts';
import { newTenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
let admin: Client;

/** One step in the life of a memory, each at its own position and time. */
interface Step {
  readonly memory: Json;
  readonly position: string;
}
let path: string;
let before: string;
let created: Step;
let changed: Step;
let gone: Step;
let back: Step;

beforeAll(async () => {
  ({ admin } = await newTenant(server));
  const step = async (reply: Promise<Reply>): Promise<Step> => {
    const { body } = await reply;
    // Log times have millisecond resolution: wait so that the next step gets a different one.
    await sleep(5);
    return body;
  };
  before = (await step(admin.post('/v1/memories', { content: 'another', tags: ['other'] }))).position;
  created = await step(admin.post('/v1/memories', { content: 'blue', tags: ['old'], metadata: { n: 1 } }));
  path = `/v1/memories/${created.memory.id}`;
  changed = await step(admin.patch(path, { content: 'green', tags: ['new'] }, { 'if-match': '*' }));
  gone = await step(admin.delete(path));
  back = await step(admin.post(`${path}/restore`));
});

const at = (asOf: string) => `asOf=${encodeURIComponent(asOf)}`;
const earlier = (time: string) => new Date(Date.parse(time) - 1).toISOString();

async function list(asOf: string, parameters = ''): Promise<Json[]> {
  const reply = await admin.get(`/v1/memories?${at(asOf)}&${parameters}`);
  expect(reply.status).toBe(200);
  return reply.body.items;
}

describe('get with asOf', () => {
  it('[A4] shows the memory at a position, including that position', async () => {
    for (const { memory, position } of [created, changed, gone, back]) {
      const reply = await admin.get(`${path}?${at(position)}`);
      expect(reply.status).toBe(200);
      expect(reply.body).toEqual(memory);
      expect(reply.headers.get('etag')).toBe(`"${memory.revision}"`);
    }
  });

  it('[A4] shows the memory at a time, including that time', async () => {
    for (const { memory } of [created, changed, gone, back]) {
      expect((await admin.get(`${path}?${at(memory.updatedAt)}`)).body).toEqual(memory);
    }
    expect((await admin.get(`${path}?${at(earlier(changed.memory.updatedAt))}`)).body).toEqual(
      created.memory,
    );
  });

  it('[A4] treats a time in another zone as the same instant', async () => {
    const moment = new Date(Date.parse(changed.memory.updatedAt) + 2 * 3_600_000).toISOString();
    const zoned = moment.replace('Z', '+02:00');
    expect((await admin.get(`${path}?${at(zoned)}`)).body).toEqual(changed.memory);
  });

  it('[A4] answers 404 before the memory was created', async () => {
    expectProblem(await admin.get(`${path}?${at(before)}`), 404, 'not-found');
    expectProblem(await admin.get(`${path}?${at(earlier(created.memory.createdAt))}`), 404, 'not-found');
    expectProblem(await admin.get(`${path}?${at('1999-01-01T00:00:00Z')}`), 404, 'not-found');
  });
});

describe('list with asOf', () => {
  it('[A4] returns the memories that were active at a position or time', async () => {
    expect((await list(before)).map(({ content }) => content)).toEqual(['another']);
    expect((await list(created.position))[0]).toEqual(created.memory);
    expect((await list(created.memory.updatedAt))[0]).toEqual(created.memory);
    expect((await list(changed.position))[0]).toEqual(changed.memory);
    expect((await list(earlier(gone.memory.updatedAt)))[0]).toEqual(changed.memory);
    expect((await list(gone.position)).map(({ content }) => content)).toEqual(['another']);
    expect((await list(back.position))[0]).toEqual(back.memory);
  });

  it('[A4] filters by the values that memories had then', async () => {
    expect(await list(created.position, 'tag=old')).toEqual([created.memory]);
    expect(await list(created.position, 'tag=new')).toEqual([]);
    expect(await list(changed.position, 'tag=old')).toEqual([]);
    expect(await list(gone.position, 'state=deleted')).toEqual([gone.memory]);
    expect(await list(back.position, 'state=deleted')).toEqual([]);
    const filter = encodeURIComponent('{"content":{"eq":"blue"}}');
    expect(await list(created.position, `filter=${filter}`)).toEqual([created.memory]);
    expect(await list(changed.position, `filter=${filter}`)).toEqual([]);
  });

  it('[A4] is empty before the first memory', async () => {
    expect(await list('1999-01-01T00:00:00Z')).toEqual([]);
  });

  it('[A4] keeps its pages stable under later changes', async () => {
    const own = await newTenant(server);
    const lines = await own.admin.bulk(Array.from({ length: 5 }, (_, n) => ({ content: `n${n}` })));
    const ids = lines
      .map(({ id }): string => id)
      .sort()
      .reverse();
    const asOf = at(lines.at(-1).position);
    const first = await own.admin.get(`/v1/memories?${asOf}&limit=2`);
    for (const id of ids) await own.admin.delete(`/v1/memories/${id}`);
    const { position } = await own.admin.store({ content: 'later' });
    const rest = await own.admin.get(
      `/v1/memories?${asOf}&limit=3&minPosition=${position}&cursor=${first.body.nextCursor}`,
    );
    expect([...first.body.items, ...rest.body.items].map(({ id }: Json) => id)).toEqual(ids);
    const moved = await own.admin.get(`/v1/memories?limit=2&cursor=${first.body.nextCursor}`);
    expectProblem(moved, 400, 'cursor-invalid');
  });
});

describe('an invalid asOf', () => {
  const paths = () => ['/v1/memories', path];

  it('[A4] in the future answers 400', async () => {
    for (const each of paths()) {
      const future = new Date(Date.now() + 3_600_000).toISOString();
      expectInvalid(await admin.get(`${each}?${at(future)}`), 'asOf');
    }
  });

  it.each(['yesterday', '2024-01-01', '0', '-1', '', '0000-01-01T00:00:00Z', '\u0000'])(
    '[A4] %j answers 400',
    async (asOf) => {
      for (const each of paths()) {
        expectProblem(await admin.get(`${each}?${at(asOf)}`), 400, 'position-unknown', 'asOf');
      }
    },
  );

  it('[A4] of another log answers 400', async () => {
    const foreign = `000000000000-${created.position.split('-').at(-1)}`;
    for (const each of paths()) {
      expectProblem(await admin.get(`${each}?${at(foreign)}`), 400, 'position-unknown', 'asOf');
    }
  });

  it('[A4] ahead of the log answers 504 after the wait', async () => {
    const ahead = back.position.replace(/-[^-]+$/, '-zzzzzz');
    for (const each of paths()) {
      expectProblem(await admin.get(`${each}?${at(ahead)}&waitMs=50`), 504, 'position-timeout');
    }
  });
});
