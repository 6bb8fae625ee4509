import { describe, expect, it } from 'vitest';
import type { TenantContext } from '../../src/domain/access/context.ts';
import { defaultReasoning, type ReasoningSettings } from '../../src/domain/reasoning/settings.ts';
import type { ReasoningTrace } from '../../src/domain/reasoning/trace.ts';
import type { Plan } from '../../src/domain/routing/plan.ts';
import { defaultSettings } from '../../src/domain/routing/settings.ts';
import { ModelGuard } from '../../src/queries/model-guard.ts';
import { RefinementCache } from '../../src/queries/reasoning/refinement-cache.ts';
import { Reasoner, type ReasoningRun } from '../../src/queries/reasoning/reasoner.ts';
import { Budget } from '../../src/queries/routing/budget.ts';
import { TrajectoryRecorder } from '../../src/queries/routing/trajectory-recorder.ts';
import { fakeLanguageModel, type FakeLanguageModel } from '../support/fake-language-model.ts';

const caller: TenantContext = {
  tenant: 'acme',
  principal: 'key:1',
  roles: ['member'],
  orgs: [],
  teams: ['alpha'],
  projects: [],
  sessions: [],
  agents: [],
};
const question = 'Compare retries of Search and Billing';
const plan: Plan = {
  aggregation: 'compare',
  operands: [
    { label: 'Search', query: 'Search retries' },
    { label: 'Billing', query: 'Billing retries' },
  ],
};
const refinement = {
  strategy: 'exhaustive',
  why: 'both sides are asked for whole',
  layers: null,
  searches: [
    { part: 0, meaning: 'Search repeats failed requests', words: 'Search retry backoff' },
    { part: 1, meaning: 'Billing repeats nothing', words: 'Billing retry idempotency' },
  ],
};
const proposed = [
  { dense: 'Search repeats failed requests', lexical: 'Search retry backoff' },
  { dense: 'Billing repeats nothing', lexical: 'Billing retry idempotency' },
];
const whole = { depth: 0, step: undefined };

function reasoner(model: FakeLanguageModel | undefined, settings: Partial<ReasoningSettings> = {}) {
  const traces: ReasoningTrace[] = [];
  const guard = model && new ModelGuard(model, () => undefined);
  const parts = {
    clock: { now: () => new Date() },
    modelFor: guard && ((tenant: string) => guard.of(tenant)),
    cache: new RefinementCache(),
    onReasoned: (trace: ReasoningTrace) => void traces.push(trace),
  };
  const own = new Reasoner(parts);
  const begin = (
    of: Partial<TenantContext> = {},
    more: Partial<ReasoningSettings> = {},
    run: Partial<ReasoningRun> = {},
  ) =>
    own.begin({ ...caller, ...of }, { ...defaultReasoning, ...settings, ...more }, { ...freshRun(), ...run });
  return { begin, traces };
}

function freshRun(): ReasoningRun {
  const budget = new Budget(defaultSettings.budgets);
  return { budget, recorder: new TrajectoryRecorder({ now: () => new Date() }, budget), mayAskModel: true };
}

describe('reasoning by rules', () => {
  it('[D-1] [D5] needs no model: it records its decision and the reason, and keeps the planned texts', async () => {
    const { begin } = reasoner(undefined);
    const reflection = begin();
    const decided = await reflection.about(question, plan, whole);
    expect(decided).toEqual({ strategy: 'targeted', reason: 'nothing-named', texts: [undefined, undefined] });
    expect(reflection.traces).toMatchObject([{ source: 'rules', outcome: 'complete', depth: 0 }]);
    expect(reflection.words[0]?.searches).toEqual([
      { query: 'Search retries', dense: 'Search retries', lexical: 'Search retries' },
      { query: 'Billing retries', dense: 'Billing retries', lexical: 'Billing retries' },
    ]);
  });

  it('[D-2] follows the strategy that the tenant has set', async () => {
    for (const strategy of ['exhaustive', 'semantic-only', 'targeted'] as const) {
      const reflection = reasoner(undefined, { strategy }).begin();
      expect(await reflection.about(question, plan, whole)).toMatchObject({
        strategy,
        reason: 'set-for-tenant',
      });
    }
  });

  it('[C9] follows the strategy of experience, unless the tenant has set one', async () => {
    const experienced = { experienced: 'exhaustive' } as const;
    expect(await reasoner(undefined).begin({}, {}, experienced).about(question, plan, whole)).toMatchObject({
      strategy: 'exhaustive',
      reason: 'from-experience',
    });
    const set = reasoner(undefined, { strategy: 'targeted' }).begin({}, {}, experienced);
    expect(await set.about(question, plan, whole)).toMatchObject({
      strategy: 'targeted',
      reason: 'set-for-tenant',
    });
  });
});

describe('reasoning by a model', () => {
  it('[D-1] uses its texts for both sides, its strategy and its reason', async () => {
    const model = fakeLanguageModel(refinement);
    const reflection = reasoner(model).begin();
    const decided = await reflection.about(question, plan, whole);
    expect(decided).toEqual({ strategy: 'exhaustive', reason: 'proposed-by-model', texts: proposed });
    expect(reflection.traces).toMatchObject([
      { source: 'model', outcome: 'complete', model: 'large', inputTokens: 100, outputTokens: 20 },
    ]);
    expect(reflection.words).toMatchObject([{ why: refinement.why, searches: proposed }]);
    expect(model.requests[0]).toMatchObject({ role: 'root', purpose: 'expansion' });
  });

  it('[D-2] keeps a strategy that the tenant has set', async () => {
    const reflection = reasoner(fakeLanguageModel(refinement), { strategy: 'semantic-only' }).begin();
    const decided = await reflection.about(question, plan, whole);
    expect(decided).toEqual({ strategy: 'semantic-only', reason: 'set-for-tenant', texts: proposed });
    expect(reflection.words[0]?.searches).toMatchObject([{ dense: proposed[0]!.dense }, {}]);
    expect(reflection.words[0]?.searches[0]).not.toHaveProperty('lexical');
  });

  it('[C9] keeps a strategy of experience', async () => {
    const run = { experienced: 'semantic-only' } as const;
    const reflection = reasoner(fakeLanguageModel(refinement)).begin({}, {}, run);
    const decided = await reflection.about(question, plan, whole);
    expect(decided).toEqual({ strategy: 'semantic-only', reason: 'from-experience', texts: proposed });
  });

  it.each([
    ['an unknown strategy', { ...refinement, strategy: 'everything' }],
    ['a part that does not exist', { ...refinement, searches: [{ part: 2, meaning: 'a', words: 'b' }] }],
    ['an empty text', { ...refinement, searches: [{ part: 0, meaning: ' ', words: 'b' }] }],
    [
      'a text that is too long',
      { ...refinement, searches: [{ part: 0, meaning: 'a'.repeat(401), words: 'b' }] },
    ],
    [
      'a text that cannot be stored',
      { ...refinement, searches: [{ part: 0, meaning: 'a\u0000', words: 'b' }] },
    ],
    ['a reason that cannot be stored', { ...refinement, why: 'half of a \ud83d' }],
    ['an additional field', { ...refinement, filter: { layer: 'user' } }],
  ])('[D-1] uses nothing of an answer with %s', async (_, answer) => {
    const reflection = reasoner(fakeLanguageModel(answer)).begin();
    expect(await reflection.about(question, plan, whole)).toMatchObject({
      reason: 'nothing-named',
      texts: [undefined, undefined],
    });
    expect(reflection.traces).toMatchObject([
      { outcome: 'failed', failure: 'invalid-answer', inputTokens: 100 },
    ]);
  });

  it('[D-3] ends when its time is up; earlier decisions are kept, and the rules make the remaining ones', async () => {
    const model = fakeLanguageModel(({ role }) => (role === 'root' ? refinement : 'silence'));
    const reflection = reasoner(model, { timeoutMs: 150 }).begin();
    expect((await reflection.about(question, plan, whole)).texts).toEqual(proposed);
    const started = performance.now();
    const inner = { depth: 1, step: 2 };
    expect(await reflection.about('smaller', plan, inner)).toMatchObject({ texts: [undefined, undefined] });
    expect(performance.now() - started).toBeLessThan(5_000);
    // All questions of a run share the time, so the next one makes no call.
    await reflection.about('smaller still', plan, inner);
    expect(model.requests.map(({ role }) => role)).toEqual(['root', 'sub']);
    expect(reflection.traces.map(({ outcome, step }) => [outcome, step])).toEqual([
      ['complete', undefined],
      ['timed-out', 2],
      ['timed-out', 2],
    ]);
    expect(reflection.failures).toMatchObject([{ outcome: 'timed-out', depth: 1 }]);
    expect(JSON.stringify(reflection.failures)).not.toContain('smaller');
  });

  it('[D-3] makes no call if the remaining time is too short for any model, as after a timer that fired early', async () => {
    const model = fakeLanguageModel(refinement);
    const reflection = reasoner(model, { timeoutMs: 10 }).begin();
    await reflection.about(question, plan, whole);
    expect(model.requests).toEqual([]);
    expect(reflection.traces).toMatchObject([{ source: 'rules', outcome: 'timed-out' }]);
  });

  it('[D-7] a failure is recorded with its kind, and the rules decide', async () => {
    const reflection = reasoner(fakeLanguageModel('rate-limited')).begin();
    expect(await reflection.about(question, plan, whole)).toMatchObject({ strategy: 'targeted' });
    expect(reflection.traces).toMatchObject([
      { source: 'model', outcome: 'failed', failure: 'rate-limited' },
    ]);
    expect(reflection.failures).toMatchObject([{ outcome: 'failed', error: { failure: 'rate-limited' } }]);
  });

  it('[D-4] [D-7] reports the duration and outcome of each reasoning, even with an open breaker', async () => {
    const { begin, traces } = reasoner(fakeLanguageModel('unavailable'));
    for (let count = 0; count < 21; count++) await begin().about(question, plan, whole);
    expect(traces.at(-2)).toMatchObject({
      source: 'model',
      outcome: 'failed',
      durationMs: expect.any(Number),
    });
    expect(traces.at(-1)).toMatchObject({ source: 'model', outcome: 'breaker-open', failure: 'unavailable' });
  });
});

describe('the cache of refinements', () => {
  it('[D-6] answers the same question again without the model, whatever its case and spaces', async () => {
    const model = fakeLanguageModel(refinement);
    const { begin } = reasoner(model);
    await begin().about(question, plan, whole);
    const again = begin();
    const decided = await again.about(`  ${question.toUpperCase().replaceAll(' ', '   ')} `, plan, whole);
    expect(decided.texts).toEqual(proposed);
    expect(again.traces).toMatchObject([{ source: 'cache', outcome: 'complete', model: 'large' }]);
    expect(again.traces[0]).not.toHaveProperty('inputTokens');
    expect(model.requests).toHaveLength(1);
  });

  it('[D-6] is separate by tenant, visibility, plan and model', async () => {
    const model = fakeLanguageModel(refinement);
    const { begin } = reasoner(model);
    await begin().about(question, plan, whole);
    await begin({ tenant: 'other' }).about(question, plan, whole);
    await begin({ teams: ['beta'] }).about(question, plan, whole);
    await begin({ roles: ['admin'] }).about(question, plan, whole);
    await begin().about(question, { ...plan, operands: [...plan.operands].reverse() }, whole);
    await begin().about(question, plan, { depth: 1, step: 1 });
    expect(model.requests).toHaveLength(6);
    // Another credential with the same visibility.
    await begin({ principal: 'key:2' }).about(question, plan, whole);
    expect(model.requests).toHaveLength(6);
  });

  it('[D-6] keeps the configured number of questions, the most recently used ones', async () => {
    const model = fakeLanguageModel(refinement);
    const { begin } = reasoner(model, { cacheEntries: 2 });
    for (const each of ['one', 'two', 'one', 'three', 'one']) await begin().about(each, plan, whole);
    expect(model.requests.map(({ input }) => input['question'])).toEqual(['one', 'two', 'three']);
    await begin().about('two', plan, whole);
    expect(model.requests).toHaveLength(4);
  });

  it('[D-6] keeps them for the configured time, and nothing if that is zero', async () => {
    const model = fakeLanguageModel(refinement);
    const { begin } = reasoner(model, { cacheSeconds: 1 });
    await begin().about(question, plan, whole);
    await begin().about(question, plan, whole);
    expect(model.requests).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await begin().about(question, plan, whole);
    expect(model.requests).toHaveLength(2);
    for (let count = 0; count < 2; count++) await begin({}, { cacheSeconds: 0 }).about(question, plan, whole);
    expect(model.requests).toHaveLength(4);
  });

  it('[D-6] [D9] never keeps an incomplete or invalid answer', async () => {
    const model = fakeLanguageModel('unavailable');
    const { begin } = reasoner(model, { timeoutMs: 50 });
    await begin().about(question, plan, whole);
    model.answers = { ...refinement, strategy: 'none' };
    await begin().about(question, plan, whole);
    model.answers = 'silence';
    await begin().about(question, plan, whole);
    model.answers = refinement;
    const reflection = begin();
    await reflection.about(question, plan, whole);
    expect(reflection.traces).toMatchObject([{ source: 'model', outcome: 'complete' }]);
    expect(model.requests).toHaveLength(4);
  });
});
