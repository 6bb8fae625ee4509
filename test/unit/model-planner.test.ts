import { describe, expect, it } from 'vitest';
import type { Proposal } from '../../src/domain/routing/proposal.ts';
import { systemClock } from '../../src/ports/clock.ts';
import {
  LanguageModelFailed,
  type CompletionRequest,
  type LanguageModel,
  type ModelFailure,
} from '../../src/ports/language-model.ts';
import { BudgetExhausted } from '../../src/queries/routing/budget.ts';
import type { PlanningRun } from '../../src/queries/routing/executor-parts.ts';
import { ModelPlanner } from '../../src/queries/routing/model-planner.ts';
import { questionPlanner } from '../../src/queries/routing/question-planner.ts';
import { planningRun } from '../support/planning-run.ts';
import { vocabularyOf } from '../support/vocabulary.ts';
import { adminOf } from '../support/admin.ts';

const caller = adminOf('acme');
const question = 'Compare night and day';
const vocabulary = vocabularyOf([
  { scope: { team: 'night' }, metadata: {} },
  { scope: { team: 'day' }, metadata: {} },
]);
const usage = { model: 'root', inputTokens: 300, outputTokens: 50, requests: 1 };
const proposal: Proposal = {
  aggregation: 'compare',
  parts: ['night', 'day'].map((team) => ({
    query: 'shift',
    conditions: [{ field: 'scope.team', operator: 'eq', value: team }],
    follow: null,
  })),
};

type Answer = (request: CompletionRequest<unknown>) => Promise<unknown>;

/** A planner with a model that answers so, and what it was asked and did not do. */
function planner(answer: Answer, used = usage) {
  const asked: CompletionRequest<unknown>[] = [];
  const tenants: string[] = [];
  const failures: LanguageModelFailed[] = [];
  const model: LanguageModel = {
    models: { root: 'root', sub: 'sub' },
    async complete<T>(request: CompletionRequest<T>) {
      asked.push(request);
      return { value: (await answer(request)) as T, usage: used };
    },
  };
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
  return { asked, tenants, failures, plan: (run: PlanningRun) => plan(question, caller, run) };
}

const proposes: Answer = () => Promise.resolve(proposal);
/** As an adapter does: it fails when its signal says so. */
const untilAborted: Answer = ({ signal }) =>
  new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(new LanguageModelFailed('timed-out', 'late', { usage }))),
  );
const rulesPlan = await questionPlanner({
  vocabulary: { read: () => Promise.resolve(vocabulary) },
  clock: systemClock,
  model: undefined,
})(question, caller, planningRun());

describe('a plan of a language model', () => {
  it('[B5] is made of its proposal, and who made it with what is on the trail', async () => {
    const { plan, tenants } = planner(proposes);
    const run = planningRun();
    expect(await plan(run)).toMatchObject({
      aggregation: 'compare',
      operands: [
        { query: 'shift', filter: { field: 'scope.team', value: 'night' } },
        { query: 'shift', filter: { field: 'scope.team', value: 'day' } },
      ],
    });
    expect(run.trail.planning).toEqual([
      { depth: 0, by: 'root', durationMs: expect.any(Number), tokens: 350 },
    ]);
    expect(run.trail.calls).toMatchObject([{ role: 'root', purpose: 'plan', outcome: 'answered', usage }]);
    expect(run.budget.spent.tokens).toBe(350);
    expect(tenants).toEqual(['acme']);
  });

  it('[B5] is made by the model for parts below the whole question', async () => {
    const { plan, asked } = planner(proposes);
    const run = planningRun({}, { depth: 1, parent: 2 });
    await plan(run);
    expect(asked.map(({ role }) => role)).toEqual(['sub']);
    expect(run.trail.planning).toMatchObject([{ depth: 1, parent: 2, by: 'sub' }]);
  });

  it('is asked for with the question and the vocabulary as data alone', async () => {
    const { plan, asked } = planner(proposes);
    await plan(planningRun());
    expect(asked[0]!.input).toMatchObject({
      question,
      fields: [{ field: 'scope.team', kind: 'text', values: ['night', 'day'] }],
    });
    expect(asked[0]!.instructions).not.toMatch(/night|day\b.*shift/);
  });
});

describe('[B2] where the model makes none the rules do, and why is on the trail', () => {
  const failures: ModelFailure[] = [
    'timed-out',
    'unavailable',
    'rate-limited',
    'refused',
    'invalid-answer',
    'misconfigured',
  ];
  it.each(failures)('it fails: %s', async (failure) => {
    const error = new LanguageModelFailed(failure, 'no', { usage });
    const { plan, failures: told } = planner(() => Promise.reject(error));
    const run = planningRun();
    expect(await plan(run)).toEqual(rulesPlan);
    expect(run.trail.planning).toMatchObject([{ by: 'rules', reason: failure, tokens: 350 }]);
    expect(run.trail.calls).toMatchObject([{ outcome: failure, usage }]);
    expect(run.budget.spent.tokens).toBe(350);
    expect(told).toEqual([error]);
  });

  it('nothing is left of its proposal but the question', async () => {
    const { plan } = planner(() =>
      Promise.resolve({ aggregation: 'combine', parts: [{ query: question, conditions: [], follow: null }] }),
    );
    const run = planningRun();
    expect(await plan(run)).toEqual(rulesPlan);
    expect(run.trail.planning).toMatchObject([{ by: 'rules', reason: 'nothing-proposed', tokens: 350 }]);
  });

  it.each([
    ['the tenant does not let it', 'disabled', planningRun({}, { mayAskModel: false })],
    ['its tokens are used up', 'no-tokens', planningRun({ tokens: 2_000 })],
    ['there is no time left', 'no-time', planningRun({ wallMs: 10 })],
  ])('it is not asked: %s', async (_, reason, run) => {
    const { plan, asked } = planner(proposes);
    expect(await plan(run)).toEqual(rulesPlan);
    expect(asked).toEqual([]);
    expect(run.trail.planning).toMatchObject([{ by: 'rules', reason, tokens: 0 }]);
    expect(run.trail.calls).toEqual([]);
  });

  it('a fault of this program is none of the model', async () => {
    const { plan } = planner(() => Promise.reject(new RangeError('ours')));
    await expect(plan(planningRun())).rejects.toThrow('ours');
  });
});

describe('[B8] what a model may spend', () => {
  it('is half of the time that is left', async () => {
    const { plan } = planner(untilAborted);
    const run = planningRun({ wallMs: 1_000 });
    expect(await plan(run)).toEqual(rulesPlan);
    expect(run.trail.planning).toMatchObject([{ reason: 'timed-out' }]);
    const { durationMs } = run.trail.planning[0]!;
    expect(durationMs).toBeGreaterThan(400);
    expect(run.budget.msLeft).toBeGreaterThan(0);
  });

  it('is half of the tokens: the searches have the rest, whatever it says that it took', async () => {
    const { plan, asked } = planner(proposes, { ...usage, inputTokens: 1_000_000 });
    const run = planningRun({ tokens: 10_000 });
    await plan(run);
    await plan(run);
    expect(asked).toHaveLength(1);
    expect(run.trail.planning).toMatchObject([{ by: 'root' }, { by: 'rules', reason: 'no-tokens' }]);
    expect(run.budget.spent.tokens).toBe(1_000_050);
    expect(() => run.budget.takeSearch('x'.repeat(19_000))).not.toThrow();
    expect(() => run.budget.takeSearch('x'.repeat(4_000))).toThrow(BudgetExhausted);
  });
});
