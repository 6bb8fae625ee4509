import { describe, expect, it } from 'vitest';
import type { Plan } from '../../src/domain/routing/plan.ts';
import type { Policy } from '../../src/domain/routing/policy.ts';
import type { ExecutorDependencies } from '../../src/queries/routing/executor-dependencies.ts';
import { finding, idsOf, never, run } from '../support/executor-run.ts';

describe('the budgets of a run', () => {
  it('[B8] a search that never answers ends when the time is up; without results the run fails', async () => {
    const started = performance.now();
    const { finding: found, run: trajectory } = await run({ search: () => never }, { wallMs: 600 });
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(found).toBeUndefined();
    expect(trajectory).toMatchObject({ outcome: 'failed', interruption: 'wall-time', resultCount: 0 });
    expect(trajectory.steps).toMatchObject([{ status: 'unfinished', reason: 'wall-time', queries: 1 }]);
  });

  it('[B8] [D9] results found before the time was up are the answer, with a warning', async () => {
    let calls = 0;
    const search: ExecutorDependencies['search'] = () =>
      calls++ === 0 ? Promise.resolve(finding(['x', 0.9])) : never;
    const { finding: found, run: trajectory } = await run({ search }, { wallMs: 600 });
    expect(idsOf(found)).toEqual(['x']);
    expect(found?.warnings).toEqual([{ code: 'timed-out', detail: expect.any(String) }]);
    expect(trajectory).toMatchObject({ outcome: 'partial', interruption: 'wall-time' });
    expect(trajectory.steps.map(({ status }) => status)).toEqual(['done', 'unfinished']);
  });

  it.each([
    ['unavailable', 'partial', 'planning-failed', ['partial']],
    ['breaker-open', 'partial', 'planning-failed', ['partial']],
    ['timed-out', 'partial', 'planning-timed-out', ['timed-out']],
    ['no-time', 'partial', 'planning-timed-out', ['timed-out']],
    ['no-tokens', 'complete', undefined, []],
    ['nothing-proposed', 'complete', undefined, []],
    ['disabled', 'complete', undefined, []],
    [undefined, 'complete', undefined, []],
  ] as const)(
    '[D9] a plan of the rules because of %s is executed like any other: %s',
    async (reason, outcome, interruption, codes) => {
      const plan: ExecutorDependencies['plan'] = (query, _, { recorder, depth }) => {
        const planned = { depth, by: 'rules', durationMs: 1, tokens: 0 };
        recorder.planned(reason === undefined ? planned : { ...planned, reason });
        return Promise.resolve({ aggregation: 'combine', operands: [{ label: 'a', query }] });
      };
      const { finding: found, run: trajectory } = await run({ plan });
      expect(found?.best.length).toBeGreaterThan(0);
      expect(found?.warnings.map(({ code }) => code)).toEqual(codes);
      expect(trajectory.outcome).toBe(outcome);
      expect(trajectory.interruption).toBe(interruption);
    },
  );

  it('[B8] a planner that never answers ends when the time is up', async () => {
    const { finding: found, run: trajectory } = await run({ plan: () => never }, { wallMs: 60 });
    expect(found).toBeUndefined();
    expect(trajectory).toMatchObject({ outcome: 'failed', interruption: 'wall-time', steps: [] });
  });

  it('[B5] [B8] endless recursion is limited by the depth, and counts in the budget of the whole run', async () => {
    const words = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
    const parts: Partial<ExecutorDependencies> = {
      // Each plan has one operand that is complex again and one word shorter.
      plan: (question) => {
        const query = question.split(' ').slice(0, -1).join(' ');
        return Promise.resolve({ aggregation: 'combine', operands: [{ label: query, query }] });
      },
    };
    const query = `compare all teams ${words.join(' ')}`;
    const { run: trajectory } = await run(parts, { depth: 2 }, { query });
    expect(trajectory).toMatchObject({ outcome: 'complete', maxDepth: 2 });
    const calls = trajectory.steps.filter(({ action }) => action === 'RecursiveCall');
    expect(calls.map(({ depth, status }) => [depth, status])).toEqual([
      [0, 'done'],
      [1, 'done'],
      [2, 'rejected'],
    ]);
    expect(Math.max(...trajectory.steps.map(({ depth }) => depth))).toBe(2);
    const bounded = await run(parts, { depth: 8, queries: 3 }, { query });
    expect(bounded.run).toMatchObject({ outcome: 'partial', interruption: 'queries', queries: 3 });
  });

  it('[A8] [B5] a tenant that has simple questions decomposed does not have their parts decomposed again', async () => {
    const { run: trajectory } = await run({}, {}, {}, { threshold: 0 });
    expect(trajectory.steps.map(({ action }) => action)).not.toContain('RecursiveCall');
    expect(trajectory).toMatchObject({ outcome: 'complete', maxDepth: 0 });
  });

  it('[B8] no policy can exceed the limit of steps', async () => {
    // Chooses `Aggregate` only if nothing else is possible.
    const reluctant: Policy = {
      version: 'reluctant',
      choose: (_, actions) => {
        const other = actions.findIndex(({ name }) => name !== 'Aggregate');
        return { index: Math.max(0, other), propensity: 0.5 };
      },
    };
    const { run: trajectory } = await run({ policy: reluctant }, { steps: 3 });
    expect(trajectory).toMatchObject({
      outcome: 'partial',
      interruption: 'steps',
      policyVersion: 'reluctant',
    });
    expect(trajectory.steps).toHaveLength(3);
    expect(trajectory.steps[0]).toMatchObject({ propensity: 0.5 });
  });
});

describe('searches of one question', () => {
  /** Searches that the test answers one by one. */
  function heldBack() {
    const requests: string[] = [];
    const answers = new Map<string, () => void>();
    const search: ExecutorDependencies['search'] = (_, { query }) => {
      requests.push(query);
      return new Promise((resolve) => {
        answers.set(query, () => resolve(finding([`${query} 1`, 0.8])));
      });
    };
    const answer = async (query: string) => {
      answers.get(query)!();
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { requests, search, answer };
  }

  it.each([
    [1, ['compare a and b'], ['compare a and b', 'only a'], ['compare a and b', 'only a', 'only b']],
    [2, ['compare a and b', 'only a'], ['compare a and b', 'only a', 'only b']],
    [4, ['compare a and b', 'only a', 'only b']],
  ])('[B4] run up to %i at once, and their steps stay in order', async (searchesAtOnce, ...begun) => {
    const { requests, search, answer } = heldBack();
    const running = run({ search, searchesAtOnce });
    for (const query of ['compare a and b', 'only a', 'only b']) {
      await expect.poll(() => requests).toEqual(begun.shift() ?? requests);
      await answer(query);
    }
    const { finding: found, run: trajectory } = await running;
    expect(requests).toHaveLength(3);
    expect(new Set(idsOf(found))).toEqual(new Set(['compare a and b 1', 'only a 1', 'only b 1']));
    expect(trajectory.steps.map(({ action }) => action)).toEqual([
      ...['SearchLayer', 'SearchLayer', 'SearchLayer'],
      ...['FilterByRelevance', 'Aggregate'],
    ]);
    expect(trajectory.steps.slice(0, 3).map(({ results }) => results[0]?.memoryId)).toEqual([
      'compare a and b 1',
      'only a 1',
      'only b 1',
    ]);
  });

  it('[B8] are not started ahead if the budget does not allow them', async () => {
    const { requests, search, answer } = heldBack();
    const running = run({ search, searchesAtOnce: 4 }, { queries: 1 });
    await expect.poll(() => requests).toEqual(['compare a and b']);
    await answer('compare a and b');
    expect((await running).run).toMatchObject({ outcome: 'partial', interruption: 'queries', queries: 1 });
    expect(requests).toHaveLength(1);
  });

  it('[B2] that fail ahead of their turn fail in their own step', async () => {
    const cause = new Error('the index is gone');
    const search: ExecutorDependencies['search'] = (_, { query }) =>
      query === 'only b' ? Promise.reject(cause) : Promise.resolve(finding(['x', 0.9]));
    const { run: trajectory, error } = await run({ search, searchesAtOnce: 4 });
    expect(error).toBe(cause);
    expect(trajectory.steps.map(({ status }) => status)).toEqual(['done', 'done', 'failed']);
  });

  it('[B8] never exceed the budget, however many are started ahead of their turn', async () => {
    const operands = ['compare all the teams one two', 'simple one', 'simple two', 'simple three'];
    const nested: Plan = {
      aggregation: 'combine',
      operands: operands.map((query) => ({ label: query, query })),
    };
    for (const [searchesAtOnce, queries] of [1, 2, 4].flatMap((each) => [4, 8].map((most) => [each, most]))) {
      const requests: string[] = [];
      const search: ExecutorDependencies['search'] = (_, { query }) => {
        requests.push(query);
        return Promise.resolve(finding([`${query} 1`, 0.8]));
      };
      const plans = () => Promise.resolve(nested);
      const parts = { search, searchesAtOnce: searchesAtOnce!, plan: plans };
      const query = 'compare all the teams one two three';
      const { run: trajectory } = await run(parts, { queries: queries!, depth: 8 }, { query });
      expect(requests).toHaveLength(trajectory.queries);
      expect(requests.length).toBeLessThanOrEqual(queries!);
      requests.length = 0;
      await run(parts, { steps: 1 }, { query });
      expect(requests).toHaveLength(1);
    }
  });
});

describe('a step that fails', () => {
  it('[B2] [B3] [B7] makes the run fail, and the step and the error are recorded in the trajectory', async () => {
    const cause = new Error('the index is gone');
    const search: ExecutorDependencies['search'] = (_, { query }) =>
      query === 'only b' ? Promise.reject(cause) : Promise.resolve(finding(['x', 0.9]));
    const { finding: found, run: trajectory, error } = await run({ search });
    expect(found).toBeUndefined();
    expect(error).toBe(cause);
    expect(trajectory).toMatchObject({ outcome: 'failed', interruption: 'error', citations: [] });
    expect(trajectory.steps.at(-1)).toMatchObject({
      action: 'SearchLayer',
      status: 'failed',
      reason: 'error',
    });
  });

  it('[D9] a search with a partial result adds its warning to the answer', async () => {
    const warning = { code: 'partial', detail: 'words alone' } as const;
    const search: ExecutorDependencies['search'] = () =>
      Promise.resolve({ ...finding(['x', 0.9]), warnings: [warning] });
    const { finding: found } = await run({ search });
    expect(found?.warnings).toEqual([warning]);
  });
});
