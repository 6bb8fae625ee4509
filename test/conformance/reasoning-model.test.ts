import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientWithKey, type Json } from '../support/api.ts';
import { SearchTenant } from '../support/search-tenant.ts';
import { metricsOf } from '../support/metrics.ts';
import {
  closesTheConnection,
  fails,
  inputOf,
  says,
  scriptedLanguageModel,
  writes,
  writesNoJson,
  type ChatRequest,
  type ChatScript,
} from '../support/scripted-language-model.ts';
import { useServer } from '../support/use-server.ts';

const endpoint = await scriptedLanguageModel();
afterAll(() => endpoint.close());
const server = useServer({
  because: 'is configured with a language model',
  environment: {
    STRATALOG_LLM_BASE_URL: endpoint.baseURL,
    STRATALOG_LLM_MODEL: 'root',
    STRATALOG_LLM_SUB_MODEL: 'sub',
  },
});

const question = 'Compare how Search and Billing treat requests that fail';
/** A word that is not in the question, and in one memory only. */
const jargon = 'Zuckerbrot';

const refinement = {
  strategy: 'targeted',
  why: 'two departments are named',
  layers: null,
  searches: [
    { part: 0, meaning: 'Search repeats a failed request', words: 'Search retry' },
    {
      part: 1,
      meaning: `What did not go through is for the ${jargon} of the cashier`,
      words: `${jargon} cashier`,
    },
  ],
};
const plan = {
  aggregation: 'compare',
  parts: ['Search failed requests', 'Billing failed requests'].map((query) => ({
    query,
    conditions: [],
    follow: null,
  })),
};

const purposeOf = ({ response_format: format }: ChatRequest) => format?.json_schema.name;
const isExpansion = (request: ChatRequest) => purposeOf(request) === 'expansion';
const expansions = () => endpoint.requests.filter(isExpansion);

/** The usual plan; the script answers the requests for expansion. */
function expanding(script: ChatScript): void {
  endpoint.otherwise((request, response) =>
    isExpansion(request) ? script(request, response) : says(plan)(request, response),
  );
}

const silence: ChatScript = () => undefined;

const memories = [
  { externalId: 'search', content: 'Search repeats a failed request three times with a growing pause' },
  { externalId: 'billing', content: `For what did not go through there is the ${jargon} of the cashier` },
  ...Array.from({ length: 8 }, (_, number) => ({
    externalId: `other-${number}`,
    content: `Search and Billing have a joint meeting about requests in week ${number}`,
  })),
].map((memory) => ({ ...memory, layer: 'company' }));

const newTenant = (reasoning: Record<string, unknown> = {}) =>
  SearchTenant.create(server, {
    memories,
    settings: { reasoning },
    request: { topK: 4, order: 'relevance' },
  });

describe('expansion by a language model', () => {
  beforeAll(() => expanding(says(refinement)));

  it('[D-1] searches its texts on both sides, finds what shares no word with the question, and is recorded', async () => {
    const tenant = await newTenant();
    const { answer, audit } = await tenant.ask(question);
    expect(audit.trajectory.reasoning[0]).toMatchObject({
      source: 'model',
      outcome: 'complete',
      model: 'root',
      strategy: 'targeted',
      reason: 'proposed-by-model',
      why: refinement.why,
      inputTokens: 100,
      outputTokens: 20,
      searches: refinement.searches.map(({ meaning, words }) => ({ dense: meaning, lexical: words })),
    });
    const searches = audit.trajectory.steps.filter(({ action }: Json) => action === 'SearchLayer');
    expect(searches.map(({ arguments: { texts } }: Json) => texts?.lexical)).toEqual([
      undefined,
      'Search retry',
      `${jargon} cashier`,
    ]);
    expect(
      answer.results
        .slice(0, 2)
        .map(({ memory }: Json) => memory.externalId)
        .sort(),
    ).toEqual(['billing', 'search']);
    expect(answer.warnings).toEqual([]);
    expect(JSON.stringify(answer)).not.toMatch(/reason|targeted|lexical|model|root/i);
    const input = inputOf(expansions().at(-1)!);
    expect(input).toMatchObject({ question, parts: [{ part: 0 }, { part: 1 }] });
  });

  it('[D-4] is timed by model and outcome', async () => {
    const timed = 'stratalog_reasoning_duration_count{source="model",outcome="complete"}';
    const before = (await metricsOf(server)).get(timed) ?? 0;
    await (await newTenant()).ask(question);
    expect((await metricsOf(server)).get(timed)).toBe(before + 1);
  });

  it('[D-5] makes no call for simple questions or when the tenant has disabled it', async () => {
    const tenant = await newTenant({ enabled: false });
    const before = endpoint.requests.length;
    await tenant.ask('How are signing keys rotated?');
    expect(endpoint.requests.length).toBe(before);
    const { audit } = await tenant.ask(question);
    expect(audit).toMatchObject({ route: 'decomposition', trajectory: { reasoning: [] } });
    expect(endpoint.requests.slice(before).filter(isExpansion)).toEqual([]);
  });

  it('[D-6] is requested once for the same question from callers with the same visibility, and is shared with no others', async () => {
    const tenant = await newTenant();
    const member = (user: string, teams: string[]) =>
      clientWithKey(server, { tenant: tenant.name, role: 'member', user, teams });
    const before = expansions().length;
    await tenant.ask(question);
    const { audit } = await tenant.ask(`  ${question.toUpperCase()} `);
    expect(audit.trajectory.reasoning[0]).toMatchObject({ source: 'cache', outcome: 'complete' });
    expect(audit.trajectory.reasoning[0].searches[1].lexical).toBe(`${jargon} cashier`);
    expect(expansions().length).toBe(before + 1);
    await tenant.ask(question, {}, await member('bob', ['alpha']));
    expect(expansions().length).toBe(before + 2);
    await (await newTenant()).ask(question);
    expect(expansions().length).toBe(before + 3);
  });

  it('[D-6] caches as many answers as the tenant has configured', async () => {
    const tenant = await newTenant({ cacheEntries: 1 });
    const before = expansions().length;
    const other = 'Compare how Search and Billing treat customers';
    for (const query of [question, question, other, question]) await tenant.ask(query);
    expect(expansions().length).toBe(before + 3);
  });

  it('[D-6] caches answers for as long as the tenant has configured', async () => {
    const tenant = await newTenant({ cacheSeconds: 1 });
    const before = expansions().length;
    await tenant.ask(question);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    await tenant.ask(question);
    expect(expansions().length).toBe(before + 2);
  });
});

describe('a language model that fails', () => {
  it('[D-3] costs no more than its time limit: the plan is searched unchanged, flagged, and logged without content', async () => {
    expanding(silence);
    const tenant = await newTenant({ timeoutMs: 300 });
    const started = performance.now();
    const { answer, audit } = await tenant.ask(question);
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(answer.warnings).toEqual([{ code: 'timed-out', detail: expect.any(String) }]);
    expect(answer.results.length).toBeGreaterThan(0);
    expect(audit.trajectory).toMatchObject({
      outcome: 'partial',
      interruption: 'reasoning-timed-out',
      shown: true,
    });
    expect(audit.trajectory.reasoning[0]).toMatchObject({
      source: 'model',
      outcome: 'timed-out',
      reason: 'nothing-named',
    });
    const line = server.log.find((each) => each.includes(answer.searchId) && each.includes('refined'));
    expect(JSON.parse(line!)).toMatchObject({
      outcome: 'timed-out',
      depth: 0,
      durationMs: expect.any(Number),
    });
    expect(line).not.toContain('Billing');
    // The failure is not cached as an answer.
    expanding(says(refinement));
    const again = await tenant.ask(question);
    expect(again.audit.trajectory.reasoning[0]).toMatchObject({ source: 'model', outcome: 'complete' });
    expect(again.answer.warnings).toEqual([]);
  });

  it.each([
    ['answers 500', fails(500)],
    ['closes the connection', closesTheConnection],
    ['answers HTML', writesNoJson],
    ['answers prose', writes('Let me think about that.')],
  ])(
    '[D-7] [D8] [D9] %s: the answer is flagged without the model’s text, and not cached',
    async (_, script) => {
      expanding(script);
      const tenant = await newTenant();
      const { answer, audit } = await tenant.ask(question);
      expect(answer.warnings).toEqual([{ code: 'partial', detail: expect.any(String) }]);
      expect(answer.warnings[0].detail).not.toMatch(/route|plan|reason|model|refine/);
      expect(audit.trajectory).toMatchObject({ outcome: 'partial', interruption: 'reasoning-failed' });
      expanding(says(refinement));
      expect((await tenant.ask(question)).answer.warnings).toEqual([]);
    },
  );

  it('[D-7] is no longer called for that tenant after too many failures, and its questions are still answered', async () => {
    const tenant = await newTenant();
    const degraded = 'stratalog_reasoning_degraded_total{cause="breaker-open"}';
    const before = (await metricsOf(server)).get(degraded) ?? 0;
    // Only the plan is answered: half of this tenant's calls fail.
    expanding(fails(401));
    let last: Json;
    for (let count = 0; count < 11; count++) last = await tenant.ask(`${question}, number ${count}`);
    expect(last.answer.warnings).toEqual([{ code: 'partial', detail: expect.any(String) }]);
    expect(last.answer.results.length).toBeGreaterThan(0);
    expect(last.audit.trajectory).toMatchObject({ outcome: 'partial', interruption: 'planning-failed' });
    expect(last.audit.trajectory.reasoning[0]).toMatchObject({ outcome: 'breaker-open' });
    expect(last.audit.trajectory.planning).toMatchObject([
      { by: 'rules', reason: 'breaker-open', tokens: 0 },
    ]);
    const requests = endpoint.requests.length;
    await tenant.ask(`${question}, once more`);
    expect(endpoint.requests.length).toBe(requests);
    const now = await metricsOf(server);
    expect(now.get('stratalog_language_model_breakers_open{work="questions"}')).toBe(1);
    expect(now.get(degraded)).toBeGreaterThan(before);
    expanding(says(refinement));
    const other = await (await newTenant()).ask(question);
    expect(other.audit.trajectory.reasoning[0]).toMatchObject({ source: 'model', outcome: 'complete' });
  });
});
