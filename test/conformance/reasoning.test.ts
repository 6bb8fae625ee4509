import { beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../support/api.ts';
import { SearchTenant, type AuditedSearch } from '../support/search-tenant.ts';
import { metricsOf } from '../support/metrics.ts';
import { scriptedEmbeddings, type Script } from '../support/scripted-embeddings.ts';
import { json } from '../support/scripted-endpoint.ts';
import { startServer, type ServerAddress } from '../support/server.ts';
import { useServer, useSharedServer } from '../support/use-server.ts';

const server = useSharedServer();

const comparison = 'What is the difference between the retry policies of Search and Billing?';
const everyTeam = 'List the retry policies of all Billing teams';
const teams = ['core', 'invoices', 'tax', 'refunds', 'ledger', 'payouts'].map((name) => `billing-${name}`);

const memories = [
  ...teams.map((team) => ({
    externalId: team,
    layer: 'team',
    scope: { org: 'billing', team },
    content: `The ${team} service never repeats a payment by itself and waits for its operator`,
  })),
  {
    externalId: 'search-index',
    layer: 'team',
    scope: { org: 'search', team: 'search-index' },
    content: 'Search retry policies: search-index tries a failed request three times with a growing pause',
  },
  // Belongs to no team, and is about the subject of the question.
  { externalId: 'guide', layer: 'company', content: 'Retry policies: a guide' },
];

const newTenant = (on: ServerAddress = server) =>
  SearchTenant.create(on, { memories, request: { topK: 10, order: 'relevance' } });

/** Asks a question under the strategy that the tenant has set. */
async function askBy(
  tenant: SearchTenant,
  strategy: string,
  query: string,
  more: Record<string, unknown> = {},
): Promise<AuditedSearch> {
  await tenant.configure({ reasoning: { strategy } });
  return tenant.ask(query, more);
}

const namesOf = ({ answer }: AuditedSearch): string[] =>
  answer.results.map(({ memory }: Json) => memory.externalId);
const searchesOf = ({ audit }: AuditedSearch): Json[] =>
  audit.trajectory.steps.filter(({ action }: Json) => action === 'SearchLayer');

describe('reasoning without a model', () => {
  let tenant: SearchTenant;
  beforeAll(async () => {
    tenant = await newTenant();
  });

  it('[D-1] records what each subquery is searched for by meaning and by words, and why', async () => {
    const { answer, audit } = await tenant.ask(comparison);
    const { reasoning, plan } = audit.trajectory;
    expect(reasoning).toHaveLength(1);
    expect(reasoning[0]).toMatchObject({
      depth: 0,
      strategy: 'targeted',
      reason: 'conditions-named',
      source: 'rules',
      outcome: 'complete',
      durationMs: expect.any(Number),
    });
    expect(reasoning[0].searches).toEqual(
      plan.operands.map(({ query }: Json) => ({
        query,
        dense: expect.any(String),
        lexical: expect.any(String),
      })),
    );
    expect(JSON.stringify(answer)).not.toMatch(/reason|targeted|lexical|dense|expan/i);
  });

  it('[D-1] covers each question that a complex one is decomposed into', async () => {
    const nested = 'Compare the incidents across all Search teams and the payment policies of Billing';
    const { audit } = await tenant.ask(nested);
    const calls = audit.trajectory.steps.filter(({ action }: Json) => action === 'RecursiveCall');
    const reasoned = audit.trajectory.reasoning.map(({ depth, step }: Json) => [depth, step]);
    expect(calls.length).toBeGreaterThan(0);
    expect(reasoned).toEqual([[0, undefined], ...calls.map(({ step }: Json) => [1, step])]);
  });

  it('[D-5] is not applied to simple questions', async () => {
    const { audit } = await tenant.ask('How are signing keys rotated?');
    expect(audit).toMatchObject({ route: 'standard', reason: 'below-threshold' });
    expect(audit.trajectory).toBeUndefined();
  });
});

describe('a strategy set by the tenant', () => {
  let tenant: SearchTenant;
  beforeAll(async () => {
    tenant = await newTenant();
  });

  it('[D-2] targeted searches some of the named places, and exhaustive many more of them', async () => {
    const [targeted, exhaustive] = [
      await askBy(tenant, 'targeted', everyTeam),
      await askBy(tenant, 'exhaustive', everyTeam),
    ];
    for (const [strategy, { audit }] of Object.entries({ targeted, exhaustive }))
      expect(audit.trajectory.reasoning[0]).toMatchObject({ strategy, reason: 'set-for-tenant' });
    const teamsIn = (search: AuditedSearch) =>
      new Set(searchesOf(search).map(({ arguments: { scope } }: Json) => scope?.team)).size - 1;
    expect([teamsIn(targeted), teamsIn(exhaustive)]).toEqual([3, teams.length]);
    expect(exhaustive.audit.trajectory.queries).toBeGreaterThan(targeted.audit.trajectory.queries);
    // Exhaustive also compares memories outside these teams with what is asked of each team, so their score rises.
    const guide = ({ answer }: AuditedSearch) =>
      answer.results.find(({ memory }: Json) => memory.externalId === 'guide').score as number;
    expect(guide(exhaustive)).toBeGreaterThan(guide(targeted));
    for (const search of [targeted, exhaustive])
      expect(namesOf(search).slice(0, teams.length).sort()).toEqual([...teams].sort());
    expect(exhaustive.answer.warnings).toEqual([]);
  });

  it('[D-2] semantic-only compares by meaning only: it finds the same memories without a word score', async () => {
    const [both, meaning] = [
      await askBy(tenant, 'targeted', comparison),
      await askBy(tenant, 'semantic-only', comparison),
    ];
    expect(both.audit.trajectory.reasoning[0].searches[0]).toHaveProperty('lexical');
    expect(meaning.audit.trajectory.reasoning[0].searches[0]).not.toHaveProperty('lexical');
    for (const { arguments: sought } of searchesOf(meaning)) {
      expect(sought.texts.dense).toEqual(expect.any(String));
      expect(sought.texts).not.toHaveProperty('lexical');
    }
    const whole = (search: AuditedSearch) => searchesOf(search)[0]!.results as Json[];
    const scoreOf = (search: AuditedSearch, id: string) =>
      whole(search).find(({ memoryId }) => memoryId === id)!.score as number;
    const [best] = whole(both);
    expect(scoreOf(meaning, best!.memoryId)).not.toBeCloseTo(best!.score, 3);
    // Only a word match can tell similar numbers apart.
    const numbers = Array.from({ length: 9 }, (_, digit) => `QX-9041${digit + 1}`);
    const lines = await tenant.admin.bulk(
      numbers.map((number) => ({
        externalId: number,
        layer: 'company',
        content: `Ticket ${number} is about a late delivery`,
      })),
    );
    const lead = async (strategy: string) => {
      const query = 'List all tickets across teams that are about QX-90417';
      const search = await askBy(tenant, strategy, query, { minPosition: lines.at(-1)!.position });
      const id = lines[numbers.indexOf('QX-90417')]!.id as string;
      const others = whole(search).filter(({ memoryId }) => memoryId !== id);
      return scoreOf(search, id) / Math.max(...others.map(({ score }) => score as number));
    };
    expect(await lead('targeted')).toBeGreaterThan(await lead('semantic-only'));
  });

  it('[D-2] can be changed by operators, is recorded as an event, and rejects unknown values', async () => {
    const own = await newTenant();
    const { settings, position } = await own.configure({
      reasoning: { strategy: 'exhaustive', timeoutMs: 900 },
    });
    expect(settings.reasoning).toEqual({
      enabled: true,
      strategy: 'exhaustive',
      timeoutMs: 900,
      cacheSeconds: 3_600,
      cacheEntries: 10_000,
    });
    const { body } = await own.admin.get(
      `/v1/audit/events?type=RoutingConfigured&waitMs=20000&minPosition=${position}`,
    );
    expect(body.items).toHaveLength(1);
    expect(body.items[0].data.reasoning).toMatchObject({ strategy: 'exhaustive' });
    for (const wrong of [{ strategy: 'everything' }, { timeoutMs: 0 }, { cacheEntries: -1 }, { more: 1 }])
      expect((await own.admin.patch('/v1/admin/routing', { reasoning: wrong })).status).toBe(400);
  });
});

describe('a failing embedding model', () => {
  it('[D-2] [D9] makes even semantic-only fall back to words rather than return nothing, with a warning', async () => {
    const endpoint = await scriptedEmbeddings(32);
    const own = await startServer({
      environment: {
        STRATALOG_EMBEDDER: 'openai',
        STRATALOG_EMBEDDING_MODEL: 'tiny',
        STRATALOG_EMBEDDING_BASE_URL: endpoint.baseURL,
      },
    });
    try {
      const tenant = await newTenant(own);
      await tenant.configure({ reasoning: { strategy: 'semantic-only' }, budgets: { wallMs: 60_000 } });
      expect((await tenant.ask(everyTeam)).answer.warnings).toEqual([]);
      const wordsAlone = { code: 'partial', detail: expect.stringMatching(/words alone/) as string };
      // Fail like an endpoint whose model cannot take a text of this length.
      endpoint.script(
        ...Array.from(
          { length: 2 },
          (): Script => (_, response) => json(response, 400, { error: { message: 'too long' } }),
        ),
      );
      for (const more of [{}, { asOf: tenant.position }]) {
        const search = await tenant.search('search-index retry', { mode: 'standard', ...more });
        expect(search.results[0].memory.externalId).toBe('search-index');
        expect(search.warnings).toEqual([wordsAlone]);
      }
      await endpoint.close();
      const search = await tenant.ask(comparison);
      expect(namesOf(search)).toContain('search-index');
      expect(search.answer.warnings).toContainEqual(wordsAlone);
    } finally {
      await own.remove();
    }
  });
});

describe('disabled reasoning', () => {
  const off = useServer({
    because: 'reasoning is switched off for the process',
    environment: { STRATALOG_REASONING: 'off', STRATALOG_EMBEDDER: 'deterministic' },
  });

  it('[D-5] by the tenant: complex questions are still decomposed, but without reasoning beforehand', async () => {
    const tenant = await newTenant();
    const before = await tenant.ask(comparison);
    await tenant.configure({ reasoning: { enabled: false } });
    const after = await tenant.ask(comparison);
    expect(after.audit).toMatchObject({
      route: 'decomposition',
      trajectory: { outcome: 'complete', reasoning: [] },
    });
    expect(namesOf(after)).toEqual(namesOf(before));
  });

  it('[D-5] by the configuration: it overrides the tenant’s settings, and no duration is measured', async () => {
    const tenant = await newTenant(off);
    const { audit } = await askBy(tenant, 'exhaustive', comparison);
    expect(audit).toMatchObject({
      route: 'decomposition',
      trajectory: { outcome: 'complete', reasoning: [] },
    });
    expect((await tenant.admin.get('/v1/admin/routing')).body.reasoningSwitchedOff).toBe(true);
    const measured = expect.stringMatching(/^stratalog_reasoning_duration_count/);
    expect([...(await metricsOf(off)).keys()]).not.toContainEqual(measured);
    await (await newTenant()).ask(comparison);
    expect([...(await metricsOf(server)).keys()]).toContainEqual(measured);
  });
});
