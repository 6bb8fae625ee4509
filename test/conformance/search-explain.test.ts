import { beforeAll, describe, expect, it } from 'vitest';
import { clientWithKey, type Client, type Json } from '../support/api.ts';
import { auditEvents } from '../support/events.ts';
import { expectProblem } from '../support/problem.ts';
import { compiled, printedBy, promisedBy, snippetsOf } from '../support/snippets.ts';
import { stratalogAs } from '../support/cli.ts';
import { comparison, SearchTenant, simple } from '../support/search-tenant.ts';
import { newTenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer();

async function explained(client: Client, body: Json): Promise<Json> {
  const reply = await client.post('/v1/search/explain', body);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  return reply.body;
}

const keptOf = ({ candidates }: Json): Json[] => candidates.filter(({ state }: Json) => state === 'kept');
const leftOutOf = ({ candidates }: Json): Json[] =>
  candidates.filter(({ state }: Json) => state === 'left-out');
const logOdds = (relevance: number) => Math.log(relevance / (1 - relevance));

/** What a search returns of a result, as an explanation repeats it. */
const resultOf = ({ memory, score, relevance, rank, passage, moved, supersededBy, truncated }: Json) => ({
  id: memory.id,
  content: memory.content,
  score,
  relevance,
  rank,
  passage,
  moved,
  supersededBy,
  truncated,
});

/** Asks for an answer and for its explanation, and expects the same results. */
async function expectSame(client: Client, body: Json): Promise<{ answer: Json; explanation: Json }> {
  const reply = await client.post('/v1/search', body);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  const explanation = await explained(client, body);
  const answer = reply.body;
  expect(keptOf(explanation).map(resultOf)).toEqual(answer.results.map(resultOf));
  // Results first, then the rest, best first.
  expect(explanation.candidates.slice(0, answer.results.length)).toEqual(keptOf(explanation));
  const rest = leftOutOf(explanation).map(({ relevance }) => relevance);
  expect(rest).toEqual([...rest].sort((left, right) => right - left));
  const known = (warnings: Json[]) => warnings.map(({ code }) => code);
  expect(known(explanation.warnings)).toEqual(known(answer.warnings));
  return { answer, explanation };
}

describe('the explanation of a search', () => {
  let tenant: SearchTenant;
  /** Filters, orders and cuts of one kind of question. */
  const asked: Record<string, Json> = {
    'a bare question': { query: simple },
    'a threshold of 0': { query: simple, threshold: 0, topK: 3 },
    'a threshold that nothing reaches': { query: 'Which colour has the moon?', threshold: 0.99 },
    'the order by layer': { query: simple, order: 'layer', threshold: 0 },
    'the order by relevance': { query: simple, order: 'relevance', topK: 4 },
    'a layer': { query: simple, layers: ['project'], threshold: 0 },
    'a filter': { query: simple, filter: { createdAt: { gte: '2020-01-01T00:00:00Z' } }, threshold: 0 },
    'passages alone': { query: simple, content: 'passage', topK: 2 },
    'no meaning in the question': { query: '---', threshold: 0 },
    'a complex question': { query: comparison, topK: 4 },
    'a complex question with all that is found': { query: comparison, threshold: 0, topK: 20 },
    'a complex question by the plain route': { query: comparison, mode: 'standard' },
  };

  beforeAll(async () => {
    tenant = await SearchTenant.create(server, { request: { topK: 4 } });
  });

  it.each(Object.entries(asked))('[A4] [J5] has the results of the search: %s', async (_, body) => {
    const { answer, explanation } = await expectSame(tenant.admin, { ...body, minPosition: tenant.position });
    expect(explanation.searches.length).toBeGreaterThan(0);
    for (const { relevance, parts } of explanation.candidates) {
      const sum = parts.reduce((total: number, { logOdds: own }: Json) => total + own, 0);
      if (relevance > 0) expect(sum).toBeCloseTo(logOdds(relevance), 6);
      else expect(parts).toEqual([]);
    }
    const least = explanation.cut.leastScore;
    for (const { state, reason, score } of explanation.candidates) {
      expect(reason === undefined).toBe(state === 'kept');
      if (reason === 'threshold') expect(score).toBeLessThan(body.threshold ?? 0.7);
      if (reason === 'far-behind' || reason === 'no-answer') expect(score).toBeLessThan(least);
      if (reason === 'top-k') expect(answer.results).toHaveLength(body.topK ?? 10);
    }
  });

  it('[A4] [J5] has those of a search as of a position', async () => {
    const body = { query: simple, threshold: 0, asOf: tenant.position, waitMs: 25_000 };
    const { explanation } = await expectSame(tenant.admin, body);
    expect(explanation.routing).toMatchObject({ route: 'standard', reason: 'as-of' });
  });

  it('[A4] [J5] has those of chosen spaces, with the parts of a space that forgets', async () => {
    const { admin } = await newTenant(server);
    await admin.put('/v1/spaces/news', { temporalDecayRate: 0.1 });
    const lines = await admin.bulk([
      { content: 'The ferry costs four euros.', spaces: ['news'], occurredAt: '2024-01-01T00:00:00Z' },
      { content: 'The ferry to the island is blue.', spaces: ['boats'] },
      { content: 'Ferry tickets are sold on board.' },
    ]);
    const body = {
      query: 'What does the ferry cost?',
      threshold: 0,
      now: '2026-01-01T00:00:00Z',
      minPosition: lines.at(-1)!.position,
    };
    const { explanation } = await expectSame(admin, { ...body, spaces: ['news'] });
    expect(explanation.candidates).toHaveLength(1);
    const { parts } = explanation.candidates[0];
    const decay = parts.find(({ part }: Json) => part === 'decay');
    expect(decay.logOdds).toBeLessThan(0);
    const { explanation: auto } = await expectSame(admin, {
      ...body,
      spaces: 'auto',
      query: 'space:boats ferry',
    });
    expect(auto.spaces).toEqual({ chosen: ['boats'], because: 'hint' });
  });

  it('[B1] [J5] says which sources found what, and where they placed each candidate', async () => {
    const { searches, candidates, routing, embeddingModel } = await explained(tenant.admin, {
      query: simple,
      minPosition: tenant.position,
    });
    expect(routing).toMatchObject({ route: 'standard', reason: 'below-threshold' });
    expect(embeddingModel).toEqual(expect.any(String));
    const [search] = searches;
    expect(search).toMatchObject({ purpose: 'question', text: simple, limit: 50 });
    const bySource = Object.fromEntries(search.sources.map((each: Json) => [each.source, each]));
    expect(Object.keys(bySource)).toEqual(expect.arrayContaining(['dense', 'lexical']));
    for (const source of ['dense', 'lexical']) {
      const { found, durationMs } = bySource[source];
      expect(found).toBeGreaterThan(0);
      expect(durationMs).toBeGreaterThan(0);
      const ranks = candidates
        .flatMap((each: Json) => each.ranks.filter((rank: Json) => rank.source === source))
        .map(({ rank }: Json) => rank);
      expect(ranks.sort((left: number, right: number) => left - right)).toEqual(
        Array.from({ length: found }, (_, index) => index + 1),
      );
    }
    const [first] = candidates.filter(({ ranks }: Json) =>
      ranks.some(({ source, rank }: Json) => source === 'dense' && rank === 1),
    );
    const cosines = candidates.flatMap(({ evidence }: Json) => evidence.cosine ?? []);
    expect(first.evidence.cosine).toBe(Math.max(...cosines));
  });

  it('[B2] [J5] shows the plan, the steps and the searches of a complex question', async () => {
    const { routing, searches, candidates } = await explained(tenant.admin, {
      query: comparison,
      topK: 4,
      minPosition: tenant.position,
    });
    expect(routing).toMatchObject({ route: 'decomposition', reason: 'complex' });
    expect(routing.trajectory).toMatchObject({ outcome: 'complete', shown: true, strategy: 'compare' });
    const steps = routing.trajectory.steps.filter(({ action }: Json) => action === 'SearchLayer');
    const parts = searches.filter(({ purpose }: Json) => purpose === 'part');
    expect(parts.map(({ text }: Json) => text).sort()).toEqual(
      steps.map((step: Json) => step.arguments.query).sort(),
    );
    const searched = new Set(
      candidates.flatMap(({ ranks }: Json) => ranks.map(({ search }: Json) => search)),
    );
    expect(searched.size).toBeGreaterThan(1);
  });
});

describe('what an explanation says of candidates that were left out', () => {
  it('[A4] [J5] names what supersedes them, what says the same, and feedback', async () => {
    const { admin } = await newTenant(server);
    const company = (content: string) => admin.store({ content, layer: 'company' });
    const text = 'The office in Oslo closes at six in the evening on Fridays.';
    const original = await company(text);
    const copy = await admin.store({ content: `${text} `, layer: 'team', scope: { team: 't' } });
    const old = await company('On Mondays the office in Oslo opens at nine.');
    const current = await company('The Oslo office now opens at ten every Monday.');
    await admin.put(`/v1/memories/${current.memory.id}/links/supersedes/${old.memory.id}`);
    const judged = await admin.post(`/v1/memories/${copy.memory.id}/feedback`, { kind: 'inaccurate' });
    const body = {
      query: 'When does the office in Oslo close on Fridays?',
      threshold: 0,
      includeSuperseded: false,
      minPosition: judged.body.position,
    };
    const { explanation } = await expectSame(admin, body);
    const of = ({ memory }: Json) =>
      explanation.candidates.find((each: Json) => each.memory.id === memory.id);
    expect(of(copy)).toMatchObject({ state: 'kept' });
    expect(of(current)).toMatchObject({ state: 'kept' });
    expect(of(copy).parts).toContainEqual({ part: 'feedback', logOdds: expect.closeTo(-2.05, 1) as number });
    const reasons = leftOutOf(explanation).map(({ memory, reason }) => [memory.id, reason]);
    expect(Object.fromEntries(reasons)).toEqual({
      [original.memory.id]: 'duplicate',
      [old.memory.id]: 'superseded',
    });
  });

  it('[A4] [J5] shows at most a hundred of them', async () => {
    const { admin } = await newTenant(server);
    const lines = await admin.bulk(
      Array.from({ length: 130 }, (_, n) => ({
        content: `The lamp in hall ${n} is green.`,
        layer: 'company',
      })),
    );
    const body = {
      query: 'Which lamp is green?',
      topK: 2,
      threshold: 0,
      minPosition: lines.at(-1)!.position,
    };
    const { explanation } = await expectSame(admin, body);
    expect(explanation.candidates.length).toBeLessThanOrEqual(100);
    expect(leftOutOf(explanation).length).toBeGreaterThan(40);
    expect(new Set(leftOutOf(explanation).map(({ reason }) => reason))).toEqual(new Set(['top-k']));
    // With a hundred results and more, all results are shown and nothing else.
    const { explanation: many } = await expectSame(admin, { ...body, topK: 120 });
    expect(many.candidates).toHaveLength(120);
    expect(leftOutOf(many)).toEqual([]);
  });
});

describe('who may see an explanation', () => {
  it('[I2] [J5] auditors and admins, of their tenant alone', async () => {
    const [own, other] = [await newTenant(server), await newTenant(server)];
    const body = { query: 'When is the harbour open?', threshold: 0 };
    const { memory, position } = await own.admin.store({
      content: 'The harbour is open all day.',
      layer: 'company',
    });
    await other.admin.store({ content: 'The harbour is open at night.', layer: 'company' });
    for (const client of [own.admin, await own.key({ role: 'auditor' })]) {
      const { candidates } = await explained(client, { ...body, minPosition: position });
      expect(candidates.map((each: Json) => each.memory.id)).toEqual([memory.id]);
    }
    const agent = { role: 'agent', agents: ['helper'], users: ['*'] };
    for (const rights of [agent, { role: 'member', user: 'b' }, { role: 'reader' }, { role: 'operator' }])
      expectProblem(await (await own.key(rights)).post('/v1/search/explain', body), 403, 'forbidden');
  });

  it('[I2] [J5] never names what the search would not show: of another scope, deleted, archived, erased or quarantined', async () => {
    const tenant = await newTenant(server);
    const { id, admin } = tenant;
    await admin.put('/v1/admin/trust', { quarantine: [{ source: 'agent' }], reviewers: ['admin'] });
    const store = (more: Json) =>
      admin.store({
        content: `The lighthouse burns gas. ${Object.keys(more).join()}`,
        layer: 'company',
        ...more,
      });
    const shown = await store({ tags: ['a'] });
    const untagged = await store({ layer: 'team', scope: { team: 't' } });
    const gone = await store({ tags: ['a'], metadata: { gone: 1 } });
    const archived = await store({ tags: ['a'], metadata: { archived: 1 } });
    const erased = await store({ tags: ['a'], metadata: { erased: 1 } });
    const agent = await clientWithKey(server, {
      tenant: id,
      role: 'agent',
      agents: ['h'],
      users: ['*'],
      teams: ['t'],
    });
    const held = await agent.store({
      content: 'The lighthouse burns oil.',
      layer: 'team',
      scope: { team: 't' },
      tags: ['a'],
    });
    await admin.delete(`/v1/memories/${gone.memory.id}`);
    await admin.post(`/v1/memories/${archived.memory.id}/archive`);
    const last = await admin.delete(`/v1/memories/${erased.memory.id}?mode=erase`);
    const body = { query: 'What does the lighthouse burn?', threshold: 0, minPosition: last.body.position };
    const auditor = await tenant.key({ role: 'auditor' });
    const { candidates } = await explained(auditor, { ...body, tags: ['a'] });
    expect(candidates.map(({ memory }: Json) => memory.id)).toEqual([shown.memory.id]);
    const { candidates: ofScope } = await explained(auditor, { ...body, scope: { team: 'u' } });
    const hidden = [untagged, gone, archived, erased, held].map(({ memory }) => memory.id);
    expect(ofScope.map(({ memory }: Json) => memory.id)).toEqual([shown.memory.id]);
    expect(JSON.stringify(ofScope)).not.toMatch(new RegExp(hidden.join('|')));
  });

  it('[G2] [J5] is recorded as a search of its caller, with what was shown beyond the results', async () => {
    const tenant = await newTenant(server);
    const { admin } = tenant;
    const lines = await admin.bulk([
      { content: 'The tram runs every ten minutes.', layer: 'company' },
      { content: 'The bakery sells rye bread.', layer: 'company' },
    ]);
    const auditor = await tenant.key({ role: 'auditor', user: 'dora' });
    const body = { query: 'How often does the tram run?', minPosition: lines.at(-1)!.position };
    const { searchId, candidates } = await explained(auditor, body);
    const { body: audited } = await admin.get(`/v1/audit/searches/${searchId}?waitMs=20000`);
    expect(audited).toMatchObject({ searchId, actor: 'user:dora', request: { query: body.query } });
    expect(audited.results.map(({ memoryId }: Json) => memoryId)).toEqual(
      candidates.filter(({ state }: Json) => state === 'kept').map(({ memory }: Json) => memory.id),
    );
    await expect
      .poll(() => auditEvents(admin, 'type=AuditRead&actor=user:dora'), { timeout: 30_000 })
      .toMatchObject([
        {
          data: { what: 'search explanation', items: candidates.length, parameters: { searchId } },
        },
      ]);
  });
});

describe('an explanation for people', () => {
  it('[J3] [J8] is shown by the program of the guide', async () => {
    const guide = (await snippetsOf('docs/guides/ranking.md')).join('\n');
    const { program } = await compiled({ program: guide });
    const { admin } = await newTenant(server);
    const printed = await printedBy(program!, { STRATALOG_URL: server.url, STRATALOG_API_KEY: admin.key! });
    expect(printed).toEqual(promisedBy(guide.replaceAll(/\n {2}console/g, '\nconsole')));
  });

  it('[J4] is a table at a terminal', async () => {
    const { admin } = await newTenant(server);
    const { position } = await admin.store({ content: 'The ferry costs four euros.', layer: 'company' });
    await admin.store({ content: 'Ferry tickets are sold on board.', layer: 'company' });
    await admin.post('/v1/search', { query: 'x', minPosition: position });
    const { code, stdout, stderr } = await stratalogAs(
      server,
      admin,
      'search',
      'What does the ferry cost?',
      '--explain',
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^standard route \(below-threshold\): complexity 0\.\d\d of 0\.30\nresults score at least 0\.\d{3}/,
    );
    expect(stdout).toMatch(/question: What does the ferry cost\? · \d candidates · .*dense \d \(\d/);
    expect(stdout).toMatch(
      /^1 +0\.\d{3} +base −[\d.]+ dense \+[\d.]+ lexical \+.* The ferry costs four euros\./m,
    );
  });
});
