import { describe, expect, it } from 'vitest';
import type { Filter } from '../../src/domain/filter.ts';
import type { MemoryView } from '../../src/domain/memory/view.ts';
import { rulePolicy, type Policy } from '../../src/domain/routing/policy.ts';
import type { Plan } from '../../src/domain/routing/plan.ts';
import { defaultSettings, type Budgets } from '../../src/domain/routing/settings.ts';
import { Executor } from '../../src/queries/routing/executor.ts';
import type { ExecutorParts } from '../../src/queries/routing/executor-parts.ts';
import type { ReadView } from '../../src/queries/read-models.ts';
import type { SearchRequest } from '../../src/queries/search/query.ts';
import type { Finding } from '../../src/queries/search/search.ts';
import { adminOf } from '../support/admin.ts';

const caller = adminOf('acme');
const request: SearchRequest = { query: 'compare a and b', topK: 4, threshold: 0, order: 'relevance' };
const view = { position: 7 } as ReadView;
const never = new Promise<never>(() => undefined);

const plan: Plan = {
  aggregation: 'compare',
  operands: [
    { label: 'a', query: 'only a' },
    { label: 'b', query: 'only b' },
  ],
};

function memory(id: string, more: Partial<MemoryView> = {}): MemoryView {
  return {
    id,
    content: `this is the memory ${id} and no other one at all`,
    layer: 'company',
    scope: { company: 'acme' },
    createdAt: '2026-01-01T00:00:00.000Z',
    ...more,
  } as MemoryView;
}

function finding(...best: readonly (readonly [string, number])[]): Finding {
  return {
    best: best.map(([id, score]) => ({ memory: memory(id), score })),
    position: 7,
    warnings: [],
    embeddingModel: 'm',
    view,
  };
}

function run(
  parts: Partial<ExecutorParts>,
  budgets: Partial<Budgets> = {},
  asked: Partial<SearchRequest> = {},
) {
  const executor = new Executor({
    plan: () => Promise.resolve(plan),
    policy: rulePolicy,
    clock: { now: () => new Date() },
    searchesAtOnce: 2,
    search: (_, { query }) => Promise.resolve(finding([`${query} 1`, 0.8], [`${query} 2`, 0.4])),
    places: () => Promise.resolve({ names: [], named: false }),
    mentions: () => Promise.resolve(undefined),
    ...parts,
  });
  const settings = { ...defaultSettings, budgets: { ...defaultSettings.budgets, ...budgets } };
  return executor.run(caller, { ...request, ...asked }, view, settings);
}

const idsOf = (found: Finding | undefined) => found?.best.map((one) => one.memory.id);

describe('the budgets of a run', () => {
  it('[B8] a search that never answers costs the wall time and no more; nothing found is a failure', async () => {
    const started = performance.now();
    const { finding: found, run: trajectory } = await run({ search: () => never }, { wallMs: 600 });
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(found).toBeUndefined();
    expect(trajectory).toMatchObject({ outcome: 'failed', interruption: 'wall-time', resultCount: 0 });
    expect(trajectory.steps).toMatchObject([{ status: 'unfinished', reason: 'wall-time', queries: 1 }]);
  });

  it('[B8] [D9] what was found before the time was up is the answer, and says so', async () => {
    let calls = 0;
    const search: ExecutorParts['search'] = () =>
      calls++ === 0 ? Promise.resolve(finding(['x', 0.9])) : never;
    const { finding: found, run: trajectory } = await run({ search }, { wallMs: 600 });
    expect(idsOf(found)).toEqual(['x']);
    expect(found?.warnings).toEqual([{ code: 'timed-out', detail: expect.any(String) }]);
    expect(trajectory).toMatchObject({ outcome: 'partial', interruption: 'wall-time' });
    expect(trajectory.steps.map(({ status }) => status)).toEqual(['done', 'unfinished']);
  });

  it('[B8] a plan that never comes costs the wall time and no more', async () => {
    const { finding: found, run: trajectory } = await run({ plan: () => never }, { wallMs: 60 });
    expect(found).toBeUndefined();
    expect(trajectory).toMatchObject({ outcome: 'failed', interruption: 'wall-time', steps: [] });
  });

  it('[B5] [B8] recursion without end is ended by the depth, and counts in the budgets of the whole', async () => {
    const words = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
    const parts: Partial<ExecutorParts> = {
      // Each plan has one operand that is complex again, and a word shorter.
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

  it('[B8] no policy makes it take more steps than it may', async () => {
    // Puts off the end as long as there is anything else to do.
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
  /** Answers each search when it is told to. */
  function heldBack() {
    const asked: string[] = [];
    const answers = new Map<string, () => void>();
    const search: ExecutorParts['search'] = (_, { query }) => {
      asked.push(query);
      return new Promise((resolve) => {
        answers.set(query, () => resolve(finding([`${query} 1`, 0.8])));
      });
    };
    const answer = async (query: string) => {
      answers.get(query)!();
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { asked, search, answer };
  }

  it.each([
    [1, ['compare a and b'], ['compare a and b', 'only a'], ['compare a and b', 'only a', 'only b']],
    [2, ['compare a and b', 'only a'], ['compare a and b', 'only a', 'only b']],
    [4, ['compare a and b', 'only a', 'only b']],
  ])('[B4] are begun up to %i at once, and their steps stay in order', async (searchesAtOnce, ...begun) => {
    const { asked, search, answer } = heldBack();
    const running = run({ search, searchesAtOnce });
    for (const query of ['compare a and b', 'only a', 'only b']) {
      await expect.poll(() => asked).toEqual(begun.shift() ?? asked);
      await answer(query);
    }
    const { finding: found, run: trajectory } = await running;
    expect(asked).toHaveLength(3);
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

  it('[B8] are not begun where the budget would not let them be taken', async () => {
    const { asked, search, answer } = heldBack();
    const running = run({ search, searchesAtOnce: 4 }, { queries: 1 });
    await expect.poll(() => asked).toEqual(['compare a and b']);
    await answer('compare a and b');
    expect((await running).run).toMatchObject({ outcome: 'partial', interruption: 'queries', queries: 1 });
    expect(asked).toHaveLength(1);
  });

  it('[B2] that fail before their turn are failures of their own step', async () => {
    const cause = new Error('the index is gone');
    const search: ExecutorParts['search'] = (_, { query }) =>
      query === 'only b' ? Promise.reject(cause) : Promise.resolve(finding(['x', 0.9]));
    const { run: trajectory, error } = await run({ search, searchesAtOnce: 4 });
    expect(error).toBe(cause);
    expect(trajectory.steps.map(({ status }) => status)).toEqual(['done', 'done', 'failed']);
  });

  it('[B8] are made no more often than the budget allows, whatever is begun before its turn', async () => {
    const operands = ['compare all the teams one two', 'simple one', 'simple two', 'simple three'];
    const nested: Plan = {
      aggregation: 'combine',
      operands: operands.map((query) => ({ label: query, query })),
    };
    for (const [searchesAtOnce, queries] of [1, 2, 4].flatMap((each) => [4, 8].map((most) => [each, most]))) {
      const asked: string[] = [];
      const search: ExecutorParts['search'] = (_, { query }) => {
        asked.push(query);
        return Promise.resolve(finding([`${query} 1`, 0.8]));
      };
      const plans = () => Promise.resolve(nested);
      const parts = { search, searchesAtOnce: searchesAtOnce!, plan: plans };
      const query = 'compare all the teams one two three';
      const { run: trajectory } = await run(parts, { queries: queries!, depth: 8 }, { query });
      expect(asked).toHaveLength(trajectory.queries);
      expect(asked.length).toBeLessThanOrEqual(queries!);
      asked.length = 0;
      await run(parts, { steps: 1 }, { query });
      expect(asked).toHaveLength(1);
    }
  });
});

describe('a step that fails', () => {
  it('[B2] makes the run fail, with the step on record and the cause at hand', async () => {
    const cause = new Error('the index is gone');
    const search: ExecutorParts['search'] = (_, { query }) =>
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

  it('[D9] a search that was answered in part says so in the whole', async () => {
    const warning = { code: 'partial', detail: 'words alone' } as const;
    const search: ExecutorParts['search'] = () =>
      Promise.resolve({ ...finding(['x', 0.9]), warnings: [warning] });
    const { finding: found } = await run({ search });
    expect(found?.warnings).toEqual([warning]);
  });
});

describe('conditions of a plan', () => {
  const conditioned: Plan = {
    aggregation: 'combine',
    operands: [{ label: 'a', query: 'only a', scope: { team: 'alpha' } }],
  };
  const inTeam = (id: string, team?: string) =>
    memory(id, { layer: 'team', scope: { company: 'acme', ...(team !== undefined && { team }) } });

  it('what meets them comes first, what resembles the question follows', async () => {
    const search: ExecutorParts['search'] = (_, { scope }) =>
      Promise.resolve({
        ...finding(['loud', 0.85], ['other', 0.5]),
        ...(scope?.team === 'alpha' && {
          best: [
            { memory: inTeam('quiet', 'alpha'), score: 0.1 },
            { memory: inTeam('nowhere'), score: 0.3 },
          ],
        }),
      });
    const { finding: found, run: trajectory } = await run({
      plan: () => Promise.resolve(conditioned),
      search,
    });
    expect(idsOf(found)?.[0]).toBe('quiet');
    expect(idsOf(found)?.slice(1).sort()).toEqual(['loud', 'nowhere', 'other']);
    expect(trajectory.warnings).toEqual([]);
  });

  it('a condition that nobody meets is left out, with a warning in the trajectory alone', async () => {
    const asked: SearchRequest[] = [];
    const search: ExecutorParts['search'] = (_, each) => {
      asked.push(each);
      return Promise.resolve(each.scope?.team === 'alpha' ? finding() : finding(['x', 0.6]));
    };
    const { finding: found, run: trajectory } = await run({
      plan: () => Promise.resolve(conditioned),
      search,
    });
    expect(asked.map(({ query, scope }) => [query, scope?.team])).toEqual([
      [request.query, undefined],
      ['only a', 'alpha'],
      ['only a', undefined],
    ]);
    expect(found).toMatchObject({ best: [{ memory: { id: 'x' }, score: 0.6 }], warnings: [] });
    expect(trajectory).toMatchObject({ outcome: 'complete', warnings: ['condition-unmet'] });
  });

  it('where too few meet them, weaker ones are tried in their order, and what meets these follows', async () => {
    const [strict, loose, looser] = ['strict', 'loose', 'looser'].map((value): Filter => ({
      kind: 'test',
      field: 'metadata',
      path: ['status'],
      operator: 'eq',
      value,
    }));
    const weaker: Plan = {
      aggregation: 'combine',
      operands: [{ label: 'a', query: 'only a', filter: strict!, otherwise: [loose!, looser!] }],
    };
    const found = new Map([
      [strict, finding(['full', 0.2])],
      [loose, finding(['full', 0.2], ['half', 0.3], ['half too', 0.25], ['half as well', 0.2])],
    ]);
    const asked: (Filter | undefined)[] = [];
    const search: ExecutorParts['search'] = (_, { filter }) => {
      asked.push(filter);
      return Promise.resolve(found.get(filter) ?? finding(['loud', 0.6]));
    };
    const { finding: answer, run: trajectory } = await run({ plan: () => Promise.resolve(weaker), search });
    // With the second there are enough.
    expect(asked).toEqual([undefined, strict, loose]);
    expect(idsOf(answer)).toEqual(['full', 'half', 'half too', 'half as well']);
    expect(trajectory.warnings).toEqual([]);
    expect(trajectory.steps.map(({ reason }) => reason).slice(0, 3)).toEqual([
      undefined,
      'too-few',
      undefined,
    ]);
  });

  it('what belongs to a named thing is looked for in the innermost place of its best match', async () => {
    const plan: Plan = {
      aggregation: 'summarize',
      operands: [{ label: 'a', query: 'the thing', scope: { team: 'alpha' }, follow: 'scope' }],
    };
    const scope = { company: 'acme', team: 'alpha', project: 'p1' };
    const asked: SearchRequest['scope'][] = [];
    const search: ExecutorParts['search'] = (_, each) => {
      asked.push(each.scope);
      const inside =
        each.scope?.project === 'p1' ? [{ memory: memory('inside', { scope }), score: 0.1 }] : [];
      return Promise.resolve({
        ...finding(['loud', 0.5]),
        best: [...inside, { memory: memory('thing', { scope }), score: 0.7 }],
      });
    };
    const { finding: answer } = await run({ plan: () => Promise.resolve(plan), search });
    expect(asked).toEqual([undefined, { team: 'alpha' }, { project: 'p1' }]);
    expect(idsOf(answer)).toEqual(['thing', 'inside']);
  });

  it('an operand outside of what the caller asked for is not searched', async () => {
    const asked: SearchRequest[] = [];
    const search: ExecutorParts['search'] = (_, each) => {
      asked.push(each);
      return Promise.resolve(finding(['x', 0.6]));
    };
    const scope = { team: 'beta' };
    const { run: trajectory } = await run(
      { plan: () => Promise.resolve(conditioned), search },
      {},
      { scope },
    );
    expect(asked.map((each) => each.scope)).toEqual([scope]);
    expect(trajectory.warnings).toEqual(['outside-of-request']);
  });
});
