import { beforeAll, describe, expect, it } from 'vitest';
import { scoreOf } from '../../src/domain/ranking/score-scale.ts';
import type { Client, Json } from '../support/api.ts';
import { expectInvalid, expectProblem } from '../support/problem.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer();
const path = '/v1/reasoning/multi-hop';
const question = 'Why was the checkout down in March?';

/** Texts that resemble the question; only the first one leads to others. */
const outages = [
  'The checkout was down in March because the gateway refused its certificate',
  ...['April', 'May', 'June', 'July', 'August'].map(
    (month) => `The checkout was down in ${month} because of a failed deployment`,
  ),
];

/** A tenant whose memories are linked or name each other. */
class World {
  readonly tenant: Tenant;
  position = '';

  constructor(tenant: Tenant) {
    this.tenant = tenant;
  }

  async store(content: string, fields: Json = {}): Promise<Json> {
    const { memory, position } = await this.tenant.admin.store({ content, layer: 'company', ...fields });
    this.position = position;
    return memory;
  }

  async link(source: Json, type: string, target: Json, confidence = 1): Promise<void> {
    const at = `/v1/memories/${source.id}/links/${type}/${target.id}`;
    const reply = await this.tenant.admin.put(at, { confidence });
    expect(reply.status).toBe(200);
    this.position = reply.body.position;
  }

  async ask(more: Json = {}, client: Client = this.tenant.admin): Promise<Json> {
    const body = { query: question, minPosition: this.position, waitMs: 30_000, ...more };
    const reply = await client.post(path, body);
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
    return reply.body;
  }

  async audited(searchId: string): Promise<Json> {
    const reply = await this.tenant.admin.get(`/v1/audit/searches/${searchId}?waitMs=20000`);
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
    return reply.body;
  }
}

async function newWorld(): Promise<World> {
  return new World(await newTenant(server));
}

const contents = ({ results }: Json): string[] => results.map(({ memory }: Json) => memory.content);
const pathTo = ({ paths }: Json, memory: Json): Json =>
  paths.find(({ memories }: Json) => memories.at(-1) === memory.id);

describe('multi-hop search', () => {
  let world: World;
  let outage: Json;
  let job: Json;
  let rota: Json;

  beforeAll(async () => {
    world = await newWorld();
    [outage] = await Promise.all(outages.map((content) => world.store(content)));
    job = await world.store('Renewals are run by hand since the cron host was retired');
    rota = await world.store('Mirko keeps the list of who renews what');
    await world.link(job, 'causes', outage, 0.9);
    await world.link(rota, 'supports', job, 0.8);
  });

  it('[D-8] [A16] finds over two links what a plain search of the same size does not', async () => {
    const plain = { query: question, threshold: 0, topK: 5, order: 'relevance', minPosition: world.position };
    expect(contents((await world.tenant.admin.post('/v1/search', plain)).body)).not.toContain(rota.content);
    const answer = await world.ask({ topK: 5 });
    expect(contents(answer)).toContain(rota.content);
    expect(answer.warnings).toEqual([]);
    const found = pathTo(answer, rota);
    expect(found).toMatchObject({
      memories: [outage.id, job.id, rota.id],
      steps: [
        { via: 'search' },
        { via: 'link', type: 'causes', direction: 'incoming', score: 0.9 },
        { via: 'link', type: 'supports', direction: 'incoming', score: 0.8 },
      ],
    });
    expect(found.relevance).toBeCloseTo(found.steps[0].score * 0.9 * 0.8, 9);
  });

  it('[D-8] answers like a search, and each result has its path, whose memories are all results', async () => {
    const { results, paths, position } = await world.ask();
    expect(position).toEqual(expect.any(String));
    expect(results.map(({ rank }: Json) => rank)).toEqual(results.map((_: Json, index: number) => index + 1));
    expect(results.map(({ relevance }: Json) => relevance)).toEqual(
      paths.map(({ relevance }: Json) => relevance),
    );
    const ids = results.map(({ memory }: Json) => memory.id);
    expect(paths.map(({ memories }: Json) => memories.at(-1))).toEqual(ids);
    for (const { memories, steps } of paths) {
      expect(steps).toHaveLength(memories.length);
      for (const [index, id] of memories.entries())
        expect(ids.indexOf(id)).toBeLessThanOrEqual(ids.indexOf(memories[index + 1] ?? id));
    }
    const scores = results.map(({ score }: Json) => score);
    expect([...scores].sort((a, b) => b - a)).toEqual(scores);
  });

  it('[D-8] continues from either of two memories with the same text in different layers', async () => {
    const own = await newWorld();
    const general = await own.store('The staging lift was down because of its brake');
    await own.store(general.content, { layer: 'user' });
    const cause = await own.store('Brakes are checked by Ilse on Mondays');
    await own.link(cause, 'causes', general);
    const found = contents(await own.ask({ query: 'Why was the staging lift down?' }));
    expect(found.filter((content) => content === general.content)).toHaveLength(2);
    expect(found).toContain(cause.content);
  });

  it('[A10] follows names by a field that is as current as the requested minPosition', async () => {
    const own = await newWorld();
    await own.store('A pump was replaced', { metadata: { ticket: 'pump-7' } });
    await own.store('The pump was replaced as pump-7 says');
    const request = { query: 'Why was the pump replaced?' };
    await own.ask(request);
    await own.store('Why the pump was replaced: see inc-42 of the plant');
    const named = await own.store('Salt had eaten the seals', { metadata: { incident: 'inc-42' } });
    expect(contents(await own.ask(request))).toContain(named.content);
  });

  it('[D-8] goes to the requested depth, three hops by default', async () => {
    const last = await world.store('The list hangs beside the coffee machine');
    const beyond = await world.store('The coffee machine was bought in Trieste');
    await world.link(rota, 'related', last);
    await world.link(last, 'related', beyond);
    const reached = async (depth?: number) => {
      const found = contents(await world.ask({ topK: 50, pathThreshold: 0.01, ...(depth && { depth }) }));
      return [job, rota, last, beyond].filter(({ content }) => found.includes(content)).length;
    };
    expect(await reached(1)).toBe(1);
    expect(await reached(2)).toBe(2);
    expect(await reached(3)).toBe(3);
    expect(await reached()).toBe(3);
  });

  it('[D-8] stops following a path whose relevance falls below the threshold', async () => {
    const { relevance } = pathTo(await world.ask(), rota);
    expect(pathTo(await world.ask({ pathThreshold: relevance - 0.001 }), rota)).toBeDefined();
    const ended = await world.ask({ pathThreshold: relevance + 0.001, depth: 3, topK: 50 });
    expect(pathTo(ended, rota)).toBeUndefined();
    expect(pathTo(ended, job)).toBeDefined();
    for (const { relevance: left } of ended.paths) expect(left).toBeGreaterThanOrEqual(relevance);
  });

  it('[D-8] follows only the requested link types', async () => {
    const answer = await world.ask({ linkTypes: ['causes'] });
    expect(contents(answer)).toContain(job.content);
    expect(contents(answer)).not.toContain(rota.content);
  });

  it('[D-8] [D9] ends when its budget is spent, with the best results so far and a warning', async () => {
    const answer = await world.ask({ budget: { queries: 1 } });
    expect(answer.warnings).toMatchObject([{ code: 'partial' }]);
    expect(contents(answer)).toContain(outage.content);
    expect(contents(answer)).not.toContain(job.content);
    expect(await world.audited(answer.searchId)).toMatchObject({
      warnings: ['partial'],
      trajectory: { outcome: 'partial', interruption: 'queries', queries: 1 },
    });
    const whole = await world.ask();
    expect((await world.audited(whole.searchId)).trajectory.queries).toBeLessThanOrEqual(50);
  });

  it('[D-8] [B7] records every step, and counts its results as accesses', async () => {
    const { accessCount: before = 0 } = (await world.tenant.admin.get(`/v1/memories/${rota.id}`)).body;
    const answer = await world.ask({ topK: 5, depth: 2 });
    const audit = await world.audited(answer.searchId);
    expect(audit).toMatchObject({
      route: 'multi-hop',
      policyVersion: 'hops-1',
      request: { query: question, topK: 5, threshold: scoreOf(0.02), order: 'relevance' },
      trajectory: { outcome: 'complete', maxDepth: 2, plan: { depth: 2, pathThreshold: 0.02 } },
    });
    const { steps } = audit.trajectory;
    expect(steps.map(({ action, depth }: Json) => [action, depth])).toEqual([
      ['SearchLayer', 0],
      ['FollowLinks', 1],
      ['FollowLinks', 2],
    ]);
    expect(steps[1].arguments.from).toContain(outage.id);
    const stepOf = ({ id }: Json) => audit.results.find(({ memoryId }: Json) => memoryId === id).steps;
    expect(stepOf(outage)).toEqual([1]);
    expect(stepOf(job)).toEqual([2]);
    expect(stepOf(rota)).toEqual([3]);
    const accesses = async () => (await world.tenant.admin.get(`/v1/memories/${rota.id}`)).body.accessCount;
    await expect.poll(accesses, { timeout: 20_000 }).toBeGreaterThan(before);
  });

  it('[D-8] [A14] marks superseded results', async () => {
    const fresh = await world.store('Renewals run by themselves again');
    await world.link(fresh, 'supersedes', job);
    const { results } = await world.ask({ topK: 50 });
    const marked = results.find(({ memory }: Json) => memory.id === job.id);
    expect(marked.supersededBy).toBe(fresh.id);
  });
});

describe('names in a text', () => {
  it('[D-8] are followed: places of the tenant, with the names in the path', async () => {
    const world = await newWorld();
    const project = (name: string) => ({ layer: 'project', scope: { project: name } });
    const outage = await world.store(`${outages[0]}, see runbook-17`);
    for (const content of outages.slice(1)) await world.store(content);
    const runbook = await world.store('Ask the people of rota-4 for a renewal', project('runbook-17'));
    const rota = await world.store('Mirko answers the phone on weekdays', project('rota-4'));
    const answer = await world.ask({ pathThreshold: 0.01, topK: 20 });
    expect(pathTo(answer, rota)).toMatchObject({
      memories: [outage.id, runbook.id, rota.id],
      steps: [
        { via: 'search' },
        { via: 'mention', names: [{ field: 'scope.project', value: 'runbook-17' }] },
        { via: 'mention', names: [{ field: 'scope.project', value: 'rota-4' }] },
      ],
    });
    const { trajectory } = await world.audited(answer.searchId);
    const named = trajectory.steps.filter(({ action }: Json) => action === 'FollowMentions');
    expect(named[0].arguments.mentions).toEqual([
      { from: outage.id, names: [{ field: 'scope.project', value: 'runbook-17' }] },
    ]);
  });

  it('[D-8] are followed: names in the metadata, even with few memories', async () => {
    const world = await newWorld();
    const outage = await world.store(`${outages[0]}, see runbook-17`);
    const named = (id: string) => ({ metadata: { id } });
    const runbook = await world.store('Ask the people of rota-4 for a renewal', named('runbook-17'));
    const rota = await world.store('Mirko answers the phone on weekdays', named('rota-4'));
    const answer = await world.ask({ pathThreshold: 0.01, topK: 20 });
    expect(pathTo(answer, runbook)).toMatchObject({
      memories: [outage.id, runbook.id],
      steps: [{ via: 'search' }, { via: 'mention', names: [{ field: 'metadata.id', value: 'runbook-17' }] }],
    });
    expect(pathTo(answer, rota)).toBeDefined();
  });
});

describe('cycles', () => {
  it('[D-8] of links end: no memory appears twice on a path or in the answer', async () => {
    const world = await newWorld();
    const circle = await Promise.all(outages.map((content) => world.store(content)));
    for (const [index, memory] of circle.entries())
      await world.link(memory, 'related', circle[(index + 1) % circle.length]!);
    const answer = await world.ask({ topK: 50, pathThreshold: 0 });
    const ids = answer.results.map(({ memory }: Json) => memory.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(circle.length);
    for (const { memories } of answer.paths) expect(new Set(memories).size).toBe(memories.length);
  });
});

describe('visibility', () => {
  it('[D-8] excludes hidden and deleted memories, and paths through them', async () => {
    const world = await newWorld();
    const member = await world.tenant.key({ user: 'bob' });
    const outage = await world.store(outages[0]!);
    const hidden = await world.store('Renewals are run by hand', { layer: 'user' });
    const rota = await world.store('Mirko keeps the list');
    await world.link(outage, 'related', hidden);
    await world.link(hidden, 'related', rota);
    const wide = { topK: 50, pathThreshold: 0.25 };
    expect(contents(await world.ask(wide))).toEqual(expect.arrayContaining([hidden.content, rota.content]));
    const { results, paths } = await world.ask(wide, member);
    expect(results.map(({ memory }: Json) => memory.content)).toEqual([outage.content]);
    expect(JSON.stringify(paths)).not.toContain(hidden.id);
    world.position = (await world.tenant.admin.delete(`/v1/memories/${hidden.id}`)).body.position;
    expect(contents(await world.ask(wide))).toEqual([outage.content]);
    const { admin: stranger } = await newTenant(server);
    expect(await world.ask(wide, stranger)).toMatchObject({ results: [], paths: [] });
    const operator = await world.tenant.key({ role: 'operator' });
    expect(await world.ask(wide, operator)).toMatchObject({ results: [], paths: [] });
  });

  it.each([
    ['layers', { layers: ['company'] }],
    ['scope', { scope: { team: 'other' } }],
    ['filter', { filter: { 'metadata.kind': { eq: 'open' } } }],
    ['tags', { tags: ['open'] }],
    ['spaces', { spaces: ['open'] }],
  ])('[D-8] every hop stays within the %s of the request', async (_, narrowing) => {
    const world = await newWorld();
    const open = { metadata: { kind: 'open' }, tags: ['open'], spaces: ['open'] };
    const outage = await world.store(outages[0]!, open);
    const outside = await world.store('Renewals are run by hand', { layer: 'team', scope: { team: 'own' } });
    await world.link(outage, 'related', outside);
    expect(contents(await world.ask({ pathThreshold: 0.25 }))).toContain(outside.content);
    expect(contents(await world.ask({ pathThreshold: 0.25, ...narrowing }))).toEqual([outage.content]);
  });
});

describe('an invalid request', () => {
  it('[D-8] names the invalid field in its answer', async () => {
    const { admin } = await newTenant(server);
    const wrong: [string, Json][] = [
      ['query', { query: ' ' }],
      ['query', { query: 7 }],
      ['depth', { depth: 0 }],
      ['depth', { depth: 4 }],
      ['pathThreshold', { pathThreshold: -0.1 }],
      ['pathThreshold', { pathThreshold: 1.1 }],
      ['budget.queries', { budget: { queries: 0 } }],
      ['budget.queries', { budget: { queries: 51 } }],
      ['budget.wallMs', { budget: { wallMs: 5 } }],
      ['budget.steps', { budget: { steps: 5 } }],
      ['linkTypes', { linkTypes: [] }],
      ['linkTypes.0', { linkTypes: ['likes'] }],
      ['layers', { layers: [] }],
      ['layers.0', { layers: ['galaxy'] }],
      ['scope.planet', { scope: { planet: 'x' } }],
      ['scope.company', { scope: { company: 'other' } }],
      ['spaces', { spaces: [] }],
      ['tags', { tags: [] }],
      ['topK', { topK: 0 }],
      ['topK', { topK: 1_001 }],
      ['sessionId', { sessionId: '' }],
      ['waitMs', { waitMs: 30_001 }],
      ['threshold', { threshold: 0.5 }],
      ['asOf', { asOf: '2026-01-01T00:00:00Z' }],
    ];
    for (const [field, change] of wrong)
      expectInvalid(await admin.post(path, { query: question, ...change }), field);
    expectInvalid(await admin.post(path, { query: question, filter: { size: { eq: 1 } } }));
    expectInvalid(await admin.post(path, {}), 'query');
    const foreign = await admin.post(path, { query: question, minPosition: 'x' });
    expectProblem(foreign, 400, 'position-unknown');
  });
});
