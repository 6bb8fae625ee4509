import { describe, expect, it } from 'vitest';
import { clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer();

function admin(tenant = freshTenant()): Promise<Client> {
  return clientWithKey(server, { tenant, role: 'admin', user: 'ada' });
}

/** A turn of Ann's session `s1`, `minute` minutes after noon. */
function turn(externalId: string, minute: number, content: string, more: Record<string, unknown> = {}) {
  const occurredAt = `2025-03-01T12:${String(minute).padStart(2, '0')}:00Z`;
  return {
    externalId,
    content,
    occurredAt,
    layer: 'session',
    scope: { user: 'ann', session: 's1' },
    ...more,
  };
}

/** Stores memories one after the other and returns the position after the last. */
async function storeInOrder(client: Client, ...memories: Record<string, unknown>[]): Promise<string> {
  let last = '';
  for (const memory of memories) last = (await client.store(memory)).position;
  return last;
}

async function search(client: Client, query: string, minPosition: string, more: object = {}) {
  const request = { query, threshold: 0, order: 'relevance', topK: 50, minPosition, waitMs: 30_000, ...more };
  const { status, body } = await client.post('/v1/search', request);
  expect(status).toBe(200);
  return body.results.map(({ memory, score }: Json) => [memory.externalId, score]) as [string, number][];
}

const question = 'What was made in the pottery workshop?';
const asked = turn('asked', 0, 'How was the pottery workshop in the old mill?');
const reply = turn('reply', 1, 'Wonderful, I made two bowls.');

async function scoreOfReply(client: Client, minPosition: string, more: object = {}): Promise<number> {
  return new Map(await search(client, question, minPosition, more)).get('reply')!;
}

describe('the context of a turn in a session', () => {
  it('[A8] finds the turn when the words of the question are split between it and the previous turn', async () => {
    const client = await admin();
    const position = await storeInOrder(
      client,
      asked,
      reply,
      turn('other question', 0, 'How was the fair?', { scope: { user: 'ann', session: 's2' } }),
      turn('other reply', 1, 'Marvellous, I made three scarves.', { scope: { user: 'ann', session: 's2' } }),
    );
    const found = (await search(client, question, position)).map(([id]) => id);
    expect(found.indexOf('reply')).toBeLessThan(found.indexOf('other reply'));
    expect(found.indexOf('reply')).toBeLessThan(2);
  });

  // The window of a turn covers the two turns before it, not those after it.
  it.each([
    ['the time at which turns occurred, not the order in which they were stored', [0, 1, 2], false],
    ['the order in which they were stored if turns have the same time', [0, 0, 0], true],
  ] as const)('[A8] is determined by %s', async (_, minutes, inOrder) => {
    const [before, after] = await Promise.all(
      [
        [asked, turn('between', 0, 'Lunch?'), reply],
        [reply, turn('between', 0, 'Lunch?'), asked],
      ].map(async (spoken) => {
        const turns = spoken.map(({ externalId, content }, n) => turn(externalId, minutes[n]!, content));
        const client = await admin();
        return scoreOfReply(client, await storeInOrder(client, ...(inOrder ? turns : turns.reverse())));
      }),
    );
    expect(before).toBeGreaterThan(after! + 0.01);
  });

  it('[A8] is independent of the filters, layers and scope of the search', async () => {
    const client = await admin();
    const position = await storeInOrder(client, { ...asked, tags: ['asked'] }, { ...reply, tags: ['reply'] });
    const score = await scoreOfReply(client, position);
    for (const narrowed of [
      { tags: ['reply'] },
      { filter: { tags: { contains: 'reply' } } },
      { layers: ['session'] },
      { scope: { session: 's1' } },
    ])
      expect(await scoreOfReply(client, position, narrowed)).toBe(score);
  });

  it('[A8] excludes deleted and erased turns, and includes restored ones', async () => {
    const client = await admin();
    const alone = await scoreOfReply(client, await storeInOrder(client, reply));
    const { memory, position } = await client.store(asked);
    const together = await scoreOfReply(client, position);
    expect(together).toBeGreaterThan(alone + 0.03);
    const deleted = await client.delete(`/v1/memories/${memory.id}`);
    expect(await scoreOfReply(client, deleted.body.position)).toBe(alone);
    const restored = await client.post(`/v1/memories/${memory.id}/restore`);
    expect(await scoreOfReply(client, restored.body.position)).toBe(together);
    const erased = await client.delete(`/v1/memories/${memory.id}?mode=erase`);
    expect(await scoreOfReply(client, erased.body.position)).toBe(alone);
  });

  it.each([
    ['another user', { scope: { user: 'bob', session: 's1' } }],
    ['another layer', { layer: 'project', scope: { user: 'ann', session: 's1', project: 'p' } }],
    ['another layer with the same identifiers', { layer: 'user', scope: { user: 'ann', session: 's1' } }],
    ['another agent', { layer: 'agent', scope: { user: 'bob', session: 's1', agent: 'x' } }],
    ['another project', { scope: { user: 'bob', session: 's1', project: 'p' } }],
  ])('[I3] excludes turns that a reader of the turn cannot see: %s', async (_, place) => {
    const scores = await Promise.all(
      // In another session it is never a neighbour, which gives the score to compare with.
      ['s1', 's2'].map(async (session) => {
        const tenant = freshTenant();
        const writer = await admin(tenant);
        const elsewhere = { ...place, scope: { ...place.scope, session } };
        const position = await storeInOrder(writer, { ...asked, ...elsewhere }, reply);
        const ann = await clientWithKey(server, { tenant, role: 'member', user: 'ann' });
        return scoreOfReply(ann, position);
      }),
    );
    expect(scores[0]).toBe(scores[1]);
  });

  it('[I3] excludes another tenant’s session of the same name', async () => {
    const [client, other] = [await admin(), await admin()];
    const alone = await scoreOfReply(client, await storeInOrder(client, reply));
    expect(await scoreOfReply(client, await storeInOrder(other, asked))).toBe(alone);
  });

  it('[A5] does not keep a turn among long ones from being found by its own text', async () => {
    const client = await admin();
    const long = 'We talked about the budget, the roof of the house and the holidays. '.repeat(20);
    const short = turn('short', 2, 'Alice prefers tea over coffee.');
    const position = await storeInOrder(
      client,
      turn('one', 0, long),
      turn('two', 1, 'ok'),
      short,
      turn('three', 3, long),
    );
    const [best] = await search(client, short.content, position);
    expect(best![0]).toBe('short');
    expect(best![1]).toBeGreaterThanOrEqual(0.7);
  });
});

describe('the speaker of a turn', () => {
  const roles = (user: string, assistant: string) => [
    turn('mine', 0, 'I keep the bees behind the barn.', { metadata: { role: user } }),
    turn('theirs', 30, 'You could keep the bees behind the barn as well.', { metadata: { role: assistant } }),
  ];

  it('[A8] prefers the asker’s own turns if the question is in the first person', async () => {
    const client = await admin();
    const position = await storeInOrder(client, ...roles('user', 'assistant'));
    const order = async (query: string) => (await search(client, query, position)).map(([id]) => id);
    expect((await order('What did I say about the bees?'))[0]).toBe('mine');
    const swapped = await admin();
    const there = await storeInOrder(swapped, ...roles('assistant', 'user'));
    expect((await search(swapped, 'What did I say about the bees?', there))[0]![0]).toBe('theirs');
  });

  it('[A8] follows an update of only the metadata, and one of only the text', async () => {
    const client = await admin();
    const { memory, position } = await client.store(turn('reply', 0, 'Wonderful, two bowls.'));
    const score = async (at: string) =>
      new Map(await search(client, 'What did I say about my bowls?', at)).get('reply')!;
    const before = await score(position);
    const patch = async (change: object) => {
      const { body } = await client.patch(`/v1/memories/${memory.id}`, change, { 'if-match': '*' });
      return score(body.position);
    };
    const asUser = await patch({ metadata: { role: 'user' } });
    expect(asUser).toBeGreaterThan(before + 0.01);
    expect(await patch({ metadata: { role: 'assistant' } })).toBe(before);
    expect(await patch({ metadata: null })).toBe(before);
    expect(await patch({ content: 'user: Wonderful, two bowls.' })).toBeGreaterThan(before + 0.01);
  });
});

describe('the time of a memory', () => {
  it('[A8] prefers memories of the month named in the question, whether or not they are turns', async () => {
    const client = await admin();
    const days = { '2025-05-20': 'crimson', '2025-06-12': 'azure', '2025-07-03': 'amber' };
    const notes = Object.entries(days).map(([day, color]) => ({
      externalId: day,
      content: `The ${color} team went to the lake.`,
      occurredAt: `${day}T09:00:00Z`,
    }));
    const position = await storeInOrder(client, ...notes);
    const first = async (query: string) => (await search(client, query, position))[0]![0];
    expect(await first('Where did the team go in June?')).toBe('2025-06-12');
    expect(await first('Where did the team go in July 2025?')).toBe('2025-07-03');
    expect(await first('Where did the team go in 2025-05?')).toBe('2025-05-20');
  });

  it('[A8] pairs each month in a question with its own year', async () => {
    const client = await admin();
    const notes = ['2023-05-20', '2023-06-12', '2024-05-20', '2024-06-12'].map((day) => ({
      externalId: day,
      content: 'The team went to the lake.',
      occurredAt: `${day}T09:00:00Z`,
    }));
    const position = await storeInOrder(client, ...notes);
    const best = async (query: string) =>
      (await search(client, query, position))
        .slice(0, 2)
        .map(([id]) => id)
        .sort();
    expect(await best('Where did the team go in May 2023 and June 2024?')).toEqual([
      '2023-05-20',
      '2024-06-12',
    ]);
    expect(await best('Where did the team go in May and June 2024?')).toEqual(['2024-05-20', '2024-06-12']);
  });
});
