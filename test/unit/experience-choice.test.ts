import { describe, expect, it } from 'vitest';
import { search } from '../../src/api/search/search.ts';
import {
  bucketOf,
  chooseArm,
  neighbourOf,
  openParameters,
  type Neighbour,
} from '../../src/domain/experience/choice.ts';
import type { TraceOutcome } from '../../src/domain/experience/trace.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import {
  armsFor,
  countedArm,
  defaultArm,
  parameterNames,
  parametersOf,
  usualParameters,
  type Arm,
} from '../../src/domain/experience/parameters.ts';
import { difference, groupReport } from '../../src/domain/experience/report.ts';

const simple = bucketOf('Who owns billing?');
const complex = bucketOf('Compare the retry policies of all Billing teams and all Search teams.');
const all = new Set(parameterNames);

const tally = (bucket: string, arm: string, successes: number, trials: number) => ({
  bucket,
  arm,
  successes,
  trials,
});

const neighbour = (fields: Partial<Neighbour>): Neighbour => ({
  outcome: 'success',
  origin: 'caller',
  parameters: {},
  ...fields,
});

describe('the choice of parameters', () => {
  it('[C9] changes nothing without experience, or with little of it', () => {
    expect(simple).not.toBe(complex);
    expect(chooseArm(simple, all, [], []).arm.name).toBe('default');
    const little = [tally(simple, 'default', 1, 2), tally(simple, 'plain', 2, 2)];
    expect(chooseArm(simple, all, little, []).arm.name).toBe('default');
    const one = neighbour({ parameters: { spaces: ['crm'] } });
    expect(chooseArm(simple, all, [], [one]).arm.name).toBe('default');
  });

  it('[C9] takes what is clearly better for questions of this kind, and not for others', () => {
    const records = [
      tally(simple, 'default', 40, 100),
      tally(simple, 'plain', 80, 100),
      tally(complex, 'default', 90, 100),
      tally(complex, 'plain', 30, 100),
    ];
    expect(chooseArm(simple, all, records, []).arm.name).toBe('plain');
    expect(chooseArm(complex, all, records, []).arm.name).toBe('default');
    // An attempt that failed is no reason to say that similar ones worked.
    const failed = neighbour({ outcome: 'failure' });
    expect(chooseArm(simple, all, records, [failed])).toMatchObject({ arm: { name: 'plain' }, by: 'kind' });
    const alike = neighbour({ parameters: { mode: 'standard' } });
    expect(chooseArm(simple, all, records, [alike])).toMatchObject({ arm: { name: 'plain' }, by: 'similar' });
    const withoutMode = new Set(parameterNames.filter((name) => name !== 'mode'));
    expect(chooseArm(simple, withoutMode, records, []).arm.name).toBe('default');
  });

  it('[C9] follows similar attempts that worked where the default failed or often enough, and no pending ones', () => {
    const worked = neighbour({ parameters: { spaces: ['crm'] } });
    const failed = neighbour({ outcome: 'failure' });
    expect(chooseArm(simple, all, [], [worked, failed]).arm).toEqual({
      name: 'like-trace',
      parameters: { spaces: ['crm'] },
    });
    expect(chooseArm(simple, all, [], [worked, worked, worked]).arm.name).toBe('like-trace');
    const bad = neighbour({ parameters: { spaces: ['crm'] }, outcome: 'failure' });
    expect(chooseArm(simple, all, [], [worked, bad, bad, failed]).arm.name).toBe('default');
    const pending = neighbour({ parameters: { spaces: ['crm'] }, outcome: 'pending' });
    expect(chooseArm(simple, all, [], [pending, pending, pending]).arm.name).toBe('default');
    // Failures of the default alone say nothing for another.
    expect(chooseArm(simple, all, [], [failed, failed, failed]).arm.name).toBe('default');
  });

  it('[C9] explores a small share, and only what the caller leaves open', () => {
    const draws = Array.from({ length: 1_000 }, (_, index) => index / 1_000);
    const arms = draws.map((draw) => chooseArm(simple, all, [], [], draw));
    const explored = arms.filter(({ by }) => by === 'exploration');
    expect(explored.length).toBeGreaterThan(80);
    expect(explored.length).toBeLessThan(120);
    expect(new Set(explored.map(({ arm }) => arm.name))).toEqual(new Set(['plain', 'exhaustive']));
    const known = ['plain', 'exhaustive'].map((arm) => tally(simple, arm, 10, 40));
    const later = draws.filter((draw) => chooseArm(simple, all, known, [], draw).by === 'exploration');
    expect(later.length).toBeLessThan(40);
    expect(draws.filter((draw) => chooseArm(simple, new Set(), [], [], draw).by === 'exploration')).toEqual(
      [],
    );
  });

  it('[C9] chooses a strategy for complex questions alone, where their route is open', () => {
    expect(openParameters(complex, {})).toEqual(all);
    expect(openParameters(simple, {}).has('strategy')).toBe(false);
    expect(openParameters(complex, { mode: 'standard' }).has('strategy')).toBe(false);
    expect(openParameters(complex, { mode: 'standard' }).has('topK')).toBe(true);
    const records = [tally(complex, 'default', 40, 100), tally(complex, 'exhaustive', 80, 100)];
    expect(chooseArm(complex, openParameters(complex, {}), records, []).arm).toEqual({
      name: 'exhaustive',
      parameters: { strategy: 'exhaustive' },
    });
    expect(chooseArm(simple, openParameters(simple, {}), records, []).arm.name).toBe('default');
  });

  it('[C9] never changes how much an answer shows, from which score on, or in what order', () => {
    const changes = { threshold: 0, topK: 50, order: 'relevance', mode: 'standard', spaces: ['crm'] };
    expect(parametersOf(changes, all)).toEqual({ mode: 'standard', spaces: ['crm'] });
    for (const { parameters } of armsFor(all))
      expect(['mode', 'spaces', 'strategy']).toEqual(expect.arrayContaining(Object.keys(parameters)));
    const open = neighbourOf({ outcome: 'success', origin: 'caller', strategy: { threshold: 0 } }, all);
    expect(open).toBeUndefined();
    // Counted by an earlier version of the program.
    const records = [tally(simple, 'default', 10, 100), tally(simple, 'open', 90, 100)];
    expect(chooseArm(simple, all, records, []).arm.name).toBe('default');
  });

  it('[C9] learns from an attempt that showed more only that it failed, from one that showed less only that it worked', () => {
    const { topK, order } = search.input.shape;
    expect(usualParameters).toMatchObject({ topK: topK.parse(undefined), order: order.parse(undefined) });
    const read = (outcome: TraceOutcome, strategy: JsonObject, open = all) =>
      neighbourOf({ outcome, origin: 'caller', strategy }, open)?.parameters;
    expect(read('failure', { ...usualParameters })).toEqual({});
    for (const more of [{ topK: 50 }, { threshold: 0 }, { threshold: 0.7 }]) {
      expect(read('failure', { ...more, mode: 'standard' })).toEqual({ mode: 'standard' });
      expect(read('success', more)).toBeUndefined();
      expect(read('partial_success', more)).toBeUndefined();
    }
    expect(read('success', { topK: 5, spaces: ['crm'] })).toEqual({ spaces: ['crm'] });
    expect(read('failure', { topK: 5 })).toBeUndefined();
    // Without the focus more, above the threshold less.
    for (const outcome of ['success', 'failure'] as const)
      expect(read(outcome, { threshold: 0.9 })).toBeUndefined();
    expect(read('success', { topK: 50, threshold: 0 }, new Set())).toEqual({});
    expect(read('success', { order: 'relevance' })).toEqual({});
    const attempts = [
      neighbourOf({ outcome: 'failure', origin: 'caller', strategy: { topK: 50 } }, all)!,
      neighbourOf({ outcome: 'success', origin: 'caller', strategy: { spaces: ['crm'], topK: 5 } }, all)!,
    ];
    expect(chooseArm(simple, all, [], attempts).arm).toEqual({
      name: 'like-trace',
      parameters: { spaces: ['crm'] },
    });
  });

  it('[C9] reads of a strategy only valid parameters that are open', () => {
    const strategy = { mode: 'standard', spaces: [], strategy: 'exhaustive', secret: 1 };
    expect(parametersOf(strategy, all)).toEqual({ mode: 'standard', strategy: 'exhaustive' });
    expect(parametersOf(strategy, new Set(['strategy']))).toEqual({ strategy: 'exhaustive' });
    expect(parametersOf({ mode: 'fast', strategy: 'targeted' }, all)).toEqual({});
    expect(parametersOf(undefined, all)).toEqual({});
    expect(armsFor(new Set(['mode'])).map(({ name }) => name)).toEqual(['default', 'plain']);
  });
});

describe('the report on experience', () => {
  it('[C11] has Wilson intervals, and searches for each success', () => {
    const report = groupReport({ searches: 120, successes: 60, partial: 0, failures: 40 });
    expect(report.successRate!.value).toBe(0.6);
    expect(report.successRate!.low).toBeCloseTo(0.502, 3);
    expect(report.successRate!.high).toBeCloseTo(0.691, 3);
    expect(report.searchesPerSuccess!.value).toBeCloseTo(1.667, 3);
    expect(groupReport({ searches: 3, successes: 0, partial: 0, failures: 0 })).toEqual({
      searches: 3,
      successes: 0,
      partial: 0,
      failures: 0,
    });
    expect(
      groupReport({ searches: 1, successes: 0, partial: 0, failures: 1 }).searchesPerSuccess,
    ).toBeUndefined();
  });

  it('[C11] compares both groups, and says nothing while one is empty', () => {
    const withIt = { searches: 100, successes: 60, partial: 20, failures: 20 };
    const without = { searches: 100, successes: 50, partial: 0, failures: 50 };
    const gain = difference(withIt, without)!;
    expect(gain.value).toBeCloseTo(0.2, 6);
    expect(gain.low).toBeGreaterThan(0);
    expect(difference(withIt, { searches: 9, successes: 0, partial: 0, failures: 0 })).toBeUndefined();
  });
});

describe('the outcome of a search', () => {
  it('[C9] counts for the choice, unless its caller sent what decides what can be found', () => {
    for (const restricting of [{}, { spaces: ['crm'] }, { topK: 5 }, { order: 'relevance' }])
      expect(countedArm(restricting, defaultArm)).toBe('default');
    for (const threshold of [0, 0.99])
      expect(countedArm({ threshold, mode: 'standard' }, defaultArm)).toBe('as-sent');
    const exhaustive: Arm = { name: 'exhaustive', parameters: { strategy: 'exhaustive' } };
    expect(countedArm({ topK: 50 }, exhaustive)).toBe('exhaustive');
    expect(countedArm({ mode: 'standard', spaces: ['crm'] }, defaultArm)).toBe('plain');
    const similar: Arm = { name: 'like-trace', parameters: { spaces: ['crm'] } };
    expect(countedArm({}, similar)).toBe('like-trace');
    expect(countedArm({ threshold: 0.9 }, similar)).toBe('as-sent');
  });
});
