import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { attempt, record } from '../support/attempts.ts';
import { auditEvents } from '../support/events.ts';
import { expectProblem } from '../support/problem.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer();
let tenant: Tenant;

beforeAll(async () => {
  tenant = await newTenant(server);
});

describe('lessons', () => {
  const strategies = async (client: Client): Promise<Json[]> =>
    (await client.get('/v1/reasoning/strategies')).body.items;

  async function until(client: Client, isReached: (lessons: Json[]) => boolean): Promise<Json[]> {
    await vi.waitUntil(async () => isReached(await strategies(client)), { timeout: 30_000, interval: 100 });
    return strategies(client);
  }

  it('[C10] are drawn from a failure and a success, for those who see the attempts, and never found as memories', async () => {
    const user = await tenant.key({ user: 'learner', projects: ['helios'] });
    const broad = { approach: 'broad search', outcome: 'failure', failureReason: 'too many results' };
    await record(user, { ...broad, strategy: { topK: 50 } });
    const { position } = await record(user, { strategy: { topK: 5 } });
    // The same question in a project is another lesson.
    const shared = { scope: { project: 'helios' } };
    await record(user, { ...broad, ...shared, approach: 'asked everybody' });
    await record(user, { ...shared, approach: 'asked the owner' });
    const [own, project] = (await until(user, (all) => all.length === 2)).sort((left) =>
      left.layer === 'user' ? -1 : 1,
    );
    expect(own).toMatchObject({
      title: 'Questions like: Find Salesforce Einstein best practices',
      content: [
        'Do: narrow filter on the space crm',
        'Unlike what failed: topK 5 instead of 50',
        'Avoid: broad search, because: too many results',
      ].join('\n'),
      support: 1,
      failures: 0,
      layer: 'user',
      scope: { user: 'learner' },
    });
    const { body } = await user.post('/v1/reasoning/history', {
      query: 'Salesforce Einstein best practices',
      scope: { user: 'learner' },
      minPosition: position,
    });
    expect(body.lessons.map(({ id }: Json) => id)).toContain(own.id);
    const other = await tenant.key({ user: 'colleague', projects: ['helios'] });
    expect(await strategies(other)).toEqual([project]);
    expect(JSON.stringify(project)).not.toContain('broad search');
    expect(await strategies(await tenant.key({ user: 'stranger' }))).toEqual([]);
    const found = await user.post('/v1/search', { query: attempt.query, threshold: 0 });
    expect(JSON.stringify(found.body)).not.toContain('broad search');
  });

  it('[C10] are revised by later attempts, and become one where their questions are the same', async () => {
    const user = await tenant.key({ user: 'reviser' });
    await record(user);
    await record(user);
    const [first] = await until(user, ([lesson]) => lesson?.support === 2);
    await record(user, { outcome: 'failure', failureReason: 'the space was renamed' });
    const [second] = await until(user, ([lesson]) => lesson?.failures === 1);
    expect(second).toMatchObject({ id: first.id, support: 2, failures: 1 });
    await record(user, { outcome: 'failure', failureReason: 'the space was renamed' });
    const [third] = await until(user, ([lesson]) => lesson?.support === 0);
    expect(third).toMatchObject({ id: first.id, failures: 2 });
    expect(third.content).toBe('Avoid: narrow filter on the space crm, because: the space was renamed');
  });

  it('[C10] give up an approach that stopped working, and are not kept where they only repeat the question', async () => {
    const user = await tenant.key({ user: 'operator' });
    const query = 'Deploy the staging environment';
    const repeats = { query: 'Restart the search service', approach: 'restart the search service' };
    await record(user, repeats);
    await record(user, repeats);
    const chart = { query, approach: 'run the helm chart' };
    for (let times = 0; times < 5; times++) await record(user, chart);
    await until(user, ([lesson]) => lesson?.content === 'Do: run the helm chart');
    const failureReason = 'the chart repository was shut down';
    for (let times = 0; times < 4; times++)
      await record(user, { ...chart, outcome: 'failure', failureReason });
    const lessons = await until(user, ([lesson]) => lesson?.failures === 4);
    expect(lessons).toMatchObject([
      {
        support: 0,
        description: '“run the helm chart” worked 5 times, but then failed 4 times: try something else.',
        content: `Avoid: run the helm chart, because: ${failureReason}`,
      },
    ]);
    await record(user, { ...repeats, successFactors: ['drained it first'] });
    expect(await until(user, (all) => all.length === 2)).toContainEqual(
      expect.objectContaining({
        content: 'Do: restart the search service\nWhat helped: drained it first',
      }),
    );
  });

  it('[C10] [J3] are listed page by page, best first', async () => {
    const user = await tenant.key({ user: 'pages' });
    const queries = [
      'When are releases cut?',
      'Who owns the billing service?',
      'Where is the office in Berlin?',
    ];
    for (const [index, query] of queries.entries())
      for (let times = 0; times < 2 + Math.min(index, 1); times++) await record(user, { query });
    const all = await until(
      user,
      (lessons) => lessons.length === 3 && lessons.every(({ support }, at) => support === (at < 2 ? 3 : 2)),
    );
    const paged: Json[] = [];
    let cursor = '';
    do {
      const { status, body } = await user.get(
        `/v1/reasoning/strategies?limit=1${cursor && `&cursor=${cursor}`}`,
      );
      expect(status).toBe(200);
      expect(body.items).toHaveLength(1);
      paged.push(...body.items);
      cursor = body.nextCursor ?? '';
    } while (cursor);
    expect(paged).toEqual(all);
    for (const strange of ['zz', Buffer.from('x.y').toString('base64url')])
      expectProblem(await user.get(`/v1/reasoning/strategies?cursor=${strange}`), 400, 'cursor-invalid');
  });

  it('[F6] are erased with their attempts, in every version', async () => {
    const user = await tenant.key({ user: 'unlearner' });
    const { memory } = await user.store({ content: 'The safe opens with open-sesame.' });
    const secret = { outcome: 'failure', failureReason: 'open-sesame', memoriesUsed: [memory.id] };
    await record(user, { ...secret, approach: 'open-sesame' });
    await record(user);
    await until(user, (lessons) => JSON.stringify(lessons).includes('open-sesame'));
    await record(user);
    await until(user, ([lesson]) => lesson?.support === 2);
    const { body: gone } = await tenant.admin.delete(`/v1/memories/${memory.id}?mode=erase`);
    const shown = await user.get(`/v1/reasoning/strategies?minPosition=${gone.position}&waitMs=20000`);
    expect(shown.status).toBe(200);
    expect(JSON.stringify(shown.body)).not.toContain('open-sesame');
    const [left] = await until(
      user,
      ([lesson]) => lesson !== undefined && !lesson.content.includes('open-sesame'),
    );
    expect(left).toMatchObject({ support: 2, failures: 0 });
    const types = ['LessonLearned', 'LessonRevised', 'ReasoningTraceRecorded'];
    const events = await auditEvents(tenant.admin, types.map((type) => `type=${type}`).join('&'));
    expect(JSON.stringify(events)).not.toContain('open-sesame');
  });
});
