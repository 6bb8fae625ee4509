import { describe, expect, it } from 'vitest';
import type { Proposal } from '../../src/domain/routing/proposal.ts';
import { systemClock } from '../../src/ports/clock.ts';
import type { LanguageModelFailed, ModelFailure } from '../../src/ports/language-model.ts';
import { BreakerOpen } from '../../src/queries/model-guard.ts';
import { BudgetExhausted } from '../../src/queries/routing/budget.ts';
import type { PlanningRun } from '../../src/queries/routing/executor-dependencies.ts';
import { ModelPlanner } from '../../src/queries/routing/model-planner.ts';
import { questionPlanner } from '../../src/queries/routing/question-planner.ts';
import { fakeLanguageModel, type FakeLanguageModel } from '../support/fake-language-model.ts';
import { planningRun } from '../support/planning-run.ts';
import { vocabularyOf } from '../support/vocabulary.ts';
import { adminOf } from '../support/admin.ts';

const caller = adminOf('acme');
const question = 'Compare night and day';
const vocabulary = vocabularyOf([
  { scope: { team: 'night' }, metadata: {} },
  { scope: { team: 'day' }, metadata: {} },
]);
const proposal: Proposal = {
  aggregation: 'compare',
  parts: ['night', 'day'].map((team) => ({
    query: 'shift',
    conditions: [{ field: 'scope.team', operator: 'eq', value: team }],
    follow: null,
  })),
};

/** A planner whose model gives `answers`, with its requests and failures. */
function planner(answers: FakeLanguageModel['answers'] = { ...proposal }) {
  const model = fakeLanguageModel(answers);
  const tenants: string[] = [];
  const failures: LanguageModelFailed[] = [];
  const reader = { read: () => Promise.resolve(vocabulary) };
  const plan = questionPlanner({
    vocabulary: reader,
    clock: systemClock,
    model: new ModelPlanner({
      vocabulary: reader,
      modelFor: (tenant) => {
        tenants.push(tenant);
        return model;
      },
      onFailure: (error) => failures.push(error),
    }),
  });
  return { model, tenants, failures, plan: (run: PlanningRun) => plan(question, caller, run) };
}

const rulesPlan = await questionPlanner({
  vocabulary: { read: () => Promise.resolve(vocabulary) },
  clock: systemClock,
  model: undefined,
})(question, caller, planningRun());

describe('a plan by a language model', () => {
  it('[B5] is made from its proposal, and its model, time and tokens are recorded', async () => {
    const { plan, tenants } = planner();
    const run = planningRun();
    expect(await plan(run)).toMatchObject({
      aggregation: 'compare',
      operands: [
        { query: 'shift', filter: { field: 'scope.team', value: 'night' } },
        { query: 'shift', filter: { field: 'scope.team', value: 'day' } },
      ],
    });
    expect(run.recorder.planning).toEqual([
      { depth: 0, by: 'large', durationMs: expect.any(Number), tokens: 120 },
    ]);
    expect(run.recorder.calls).toMatchObject([
      {
        role: 'root',
        purpose: 'plan',
        outcome: 'answered',
        usage: { model: 'large', inputTokens: 100, outputTokens: 20 },
      },
    ]);
    expect(run.budget.spent.tokens).toBe(120);
    expect(tenants).toEqual(['acme']);
  });

  it('[B5] is made by the `sub` model below the whole question', async () => {
    const { plan, model } = planner();
    const run = planningRun({}, { depth: 1, parent: 2 });
    await plan(run);
    expect(model.requests.map(({ role }) => role)).toEqual(['sub']);
    expect(run.recorder.planning).toMatchObject([{ depth: 1, parent: 2, by: 'small' }]);
  });

  it('passes the question and the vocabulary only as data, not in the instructions', async () => {
    const { plan, model } = planner();
    await plan(planningRun());
    expect(model.requests[0]!.input).toMatchObject({
      question,
      fields: [{ field: 'scope.team', kind: 'text', values: ['night', 'day'] }],
    });
    expect(model.requests[0]!.instructions).not.toMatch(/night|day\b.*shift/);
  });
});

describe('[B2] without a plan by the model the rules make one, and the reason is recorded', () => {
  const failures: ModelFailure[] = [
    'timed-out',
    'unavailable',
    'rate-limited',
    'refused',
    'invalid-answer',
    'misconfigured',
  ];
  it.each(failures)('the model fails: %s', async (failure) => {
    const { plan, failures: reported } = planner(failure);
    const run = planningRun();
    expect(await plan(run)).toEqual(rulesPlan);
    expect(run.recorder.planning).toMatchObject([{ by: 'rules', reason: failure, tokens: 120 }]);
    expect(run.recorder.calls).toMatchObject([{ outcome: failure, usage: { model: 'large' } }]);
    expect(run.budget.spent.tokens).toBe(120);
    expect(reported).toMatchObject([{ failure }]);
  });

  it('only the question is left of the proposal', async () => {
    const { plan } = planner({
      aggregation: 'combine',
      parts: [{ query: question, conditions: [], follow: null }],
    });
    const run = planningRun();
    expect(await plan(run)).toEqual(rulesPlan);
    expect(run.recorder.planning).toMatchObject([{ by: 'rules', reason: 'nothing-proposed', tokens: 120 }]);
  });

  it.each([
    ['the tenant disabled it', 'disabled', planningRun({}, { mayAskModel: false })],
    ['its tokens are used up', 'no-tokens', planningRun({ tokens: 2_000 })],
    ['there is no time left', 'no-time', planningRun({ wallMs: 10 })],
  ])('the model is not called: %s', async (_, reason, run) => {
    const { plan, model } = planner();
    expect(await plan(run)).toEqual(rulesPlan);
    expect(model.requests).toEqual([]);
    expect(run.recorder.planning).toMatchObject([{ by: 'rules', reason, tokens: 0 }]);
    expect(run.recorder.calls).toEqual([]);
  });

  it('[D-7] the circuit breaker of the model is open', async () => {
    const { plan } = planner(() => {
      throw new BreakerOpen('large');
    });
    const run = planningRun();
    expect(await plan(run)).toEqual(rulesPlan);
    expect(run.recorder.planning).toMatchObject([{ by: 'rules', reason: 'breaker-open', tokens: 0 }]);
  });

  it('an error of this program is thrown instead', async () => {
    const { plan } = planner(() => {
      throw new RangeError('ours');
    });
    await expect(plan(planningRun())).rejects.toThrow('ours');
  });
});

describe('[B8] the budget of a model', () => {
  it('is half of the remaining time', async () => {
    const { plan } = planner('silence');
    const run = planningRun({ wallMs: 1_000 });
    expect(await plan(run)).toEqual(rulesPlan);
    expect(run.recorder.planning).toMatchObject([{ reason: 'timed-out' }]);
    const { durationMs } = run.recorder.planning[0]!;
    expect(durationMs).toBeGreaterThan(400);
    expect(run.budget.msLeft).toBeGreaterThan(0);
  });

  it('is half of the tokens; the searches keep the rest, whatever usage the model reports', async () => {
    const { plan, model } = planner();
    model.tokens = { inputTokens: 1_000_000, outputTokens: 50 };
    const run = planningRun({ tokens: 10_000 });
    await plan(run);
    await plan(run);
    expect(model.requests).toHaveLength(1);
    expect(run.recorder.planning).toMatchObject([{ by: 'large' }, { by: 'rules', reason: 'no-tokens' }]);
    expect(run.budget.spent.tokens).toBe(1_000_050);
    expect(() => run.budget.takeSearch('x'.repeat(19_000))).not.toThrow();
    expect(() => run.budget.takeSearch('x'.repeat(4_000))).toThrow(BudgetExhausted);
  });
});
