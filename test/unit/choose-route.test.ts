import { describe, expect, it } from 'vitest';
import { chooseRoute, type ChoiceCircumstances } from '../../src/domain/learning/choose-route.ts';
import { evaluationShare } from '../../src/domain/learning/exploration.ts';
import { rulePolicy, shippedBase } from '../../src/domain/learning/route-policy.ts';
import { complexityOf } from '../../src/domain/routing/complexity.ts';
import { defaultSettings, type RoutingSettings } from '../../src/domain/routing/settings.ts';

const rules = {
  incumbent: rulePolicy,
  candidate: { ...rulePolicy, base: shippedBase },
  canary: 0,
  decisions: 0,
};
const complex = 'Compare the retry policies of all teams';
const simple = 'Who owns the build?';

function chosen(
  question: string,
  {
    settings,
    ...more
  }: Omit<Partial<ChoiceCircumstances>, 'settings'> & {
    readonly settings?: Partial<RoutingSettings>;
  } = {},
) {
  return chooseRoute({
    tenant: 'acme',
    question,
    id: '0197c1a2-0000-7000-8000-000000000001',
    session: 's',
    complexity: complexityOf(question),
    settings: { ...defaultSettings, ...settings },
    policies: rules,
    isObservable: true,
    asksForStandard: false,
    asksAsOf: false,
    switchedOff: false,
    killed: false,
    ...more,
  });
}

const ids = Array.from({ length: 4_000 }, (_, n) => `search-${n}`);

describe('[B1] [C4] without exploration the route is that of the rule', () => {
  it.each([
    [complex, 'decomposition', 'complex'],
    [simple, 'standard', 'below-threshold'],
  ])('%s', (question, taken, reason) => {
    const only = { taken, reason, incumbent: taken, arms: [taken], propensities: [1] };
    expect(chosen(question, { isObservable: false })).toMatchObject(only);
    expect(chosen(question, { settings: { exploration: false } })).toMatchObject(only);
  });
});

describe('[B8] [B9] [C4] there is no choice', () => {
  it.each([
    ['asked-for-standard', { asksForStandard: true }],
    ['as-of', { asksAsOf: true }],
    ['switched-off', { switchedOff: true }],
    ['kill-switch', { killed: true }],
    ['disabled', { settings: { enabled: false } }],
    ['not-in-share', { settings: { share: 0 } }],
    ['shadow', { settings: { shadow: true } }],
  ] as const)('%s', (reason, circumstances) => {
    for (const id of ids.slice(0, 100))
      expect(chosen(complex, { ...circumstances, id })).toMatchObject({
        taken: 'standard',
        reason,
        arms: ['standard'],
        propensities: [1],
      });
  });

  it('for a simple question outside of the share either', () => {
    const routes = ids.map((id) => chosen(simple, { id, settings: { share: 0 } }));
    for (const { arms, reason } of routes)
      expect({ arms, reason }).toEqual({ arms: ['standard'], reason: 'below-threshold' });
  });
});

describe('[C4] exploration', () => {
  it.each([complex, simple])('takes each arm of "%s" as often as its propensity says', (question) => {
    const choices = ids.map((id) => chosen(question, { id }));
    const [first] = choices;
    expect(first!.arms).toEqual(['standard', 'decomposition']);
    for (const [index, arm] of first!.arms.entries()) {
      const share = choices.filter(({ taken }) => taken === arm).length / ids.length;
      const propensity = first!.propensities[index]!;
      const error = Math.sqrt((propensity * (1 - propensity)) / ids.length);
      expect(Math.abs(share - propensity)).toBeLessThan(5 * error);
    }
    const explored = choices.filter(({ taken, incumbent }) => taken !== incumbent);
    expect(new Set(explored.map(({ reason }) => reason))).toEqual(new Set(['explored']));
  });

  it('is never done by moving the threshold, and the same search is always drawn alike', () => {
    for (const id of ids.slice(0, 200)) {
      const choice = chosen(simple, { id });
      expect(choice.features['threshold']).toBe(defaultSettings.threshold);
      expect(chosen(simple, { id })).toEqual(choice);
    }
  });
});

describe('[C4] a learned policy', () => {
  const learned = {
    ...rules,
    incumbent: { ...rulePolicy, version: '7', base: { decomposition: { bias: 5 } } },
  };

  it('decides, and the reason says that it is not the rule', () => {
    const choice = chosen(simple, { policies: learned, isObservable: false });
    expect(choice).toMatchObject({ taken: 'decomposition', reason: 'learned', policyVersion: '7' });
    expect(chosen(complex, { policies: learned, isObservable: false }).reason).toBe('complex');
  });

  it('that is a candidate decides its share of the questions', () => {
    const policies = { ...rules, candidate: learned.incumbent, canary: 0.25 };
    const [choice] = ids.map((id) => chosen(simple, { policies, id }));
    expect(choice).toMatchObject({ incumbent: 'standard', policyVersion: 'rules-1' });
    const explored = chosen(simple, { policies: { ...policies, canary: 0 } }).propensities[1]!;
    expect(choice!.propensities[1]).toBeCloseTo(0.25 * (1 - explored) + 0.75 * explored, 9);
  });

  it('does not override what is forced', () => {
    expect(chosen(simple, { policies: learned, killed: true }).taken).toBe('standard');
    expect(chosen(simple, { policies: learned, settings: { share: 0 } })).toMatchObject({
      taken: 'standard',
      reason: 'not-in-share',
    });
  });
});

it('[C7] the sessions for evaluation are always the same, as many as their share says', () => {
  const share = ids.filter((session) => chosen(complex, { session }).evaluation).length / ids.length;
  expect(share).toBeGreaterThan(evaluationShare - 0.05);
  expect(share).toBeLessThan(evaluationShare + 0.05);
  for (const id of ids.slice(0, 50))
    expect(chosen(simple, { id, session: 's' }).evaluation).toBe(
      chosen(complex, { session: 's' }).evaluation,
    );
});
