import { describe, expect, it } from 'vitest';
import type { Filter } from '../../src/domain/filter.ts';
import type { Operand, Plan } from '../../src/domain/routing/plan.ts';
import type { ExecutorDependencies } from '../../src/queries/routing/executor-dependencies.ts';
import type { SearchRequest } from '../../src/queries/search/query.ts';
import { finding, idsOf, memory, request, run } from '../support/executor-run.ts';

describe('conditions of a plan', () => {
  const conditioned: Plan = {
    aggregation: 'combine',
    operands: [{ label: 'a', query: 'only a', scope: { team: 'alpha' } }],
  };
  const inTeam = (id: string, team?: string) =>
    memory(id, { layer: 'team', scope: { company: 'acme', ...(team !== undefined && { team }) } });

  it('results that meet them come first, those that resemble the question follow', async () => {
    const search: ExecutorDependencies['search'] = (_, { scope }) =>
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

  it('a condition that no memory meets is dropped, with a warning only in the trajectory', async () => {
    const requests: SearchRequest[] = [];
    const search: ExecutorDependencies['search'] = (_, each) => {
      requests.push(each);
      return Promise.resolve(each.scope?.team === 'alpha' ? finding() : finding(['x', 0.6]));
    };
    const { finding: found, run: trajectory } = await run({
      plan: () => Promise.resolve(conditioned),
      search,
    });
    expect(requests.map(({ query, scope }) => [query, scope?.team])).toEqual([
      [request.query, undefined],
      ['only a', 'alpha'],
      ['only a', undefined],
    ]);
    expect(found).toMatchObject({ best: [{ memory: { id: 'x' }, score: 0.6 }], warnings: [] });
    expect(trajectory).toMatchObject({ outcome: 'complete', warnings: ['condition-unmet'] });
  });

  it('if too few memories meet them, weaker ones are tried in order, and results that meet those follow', async () => {
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
    const requests: (Filter | undefined)[] = [];
    const search: ExecutorDependencies['search'] = (_, { filter }) => {
      requests.push(filter);
      return Promise.resolve(found.get(filter) ?? finding(['loud', 0.6]));
    };
    const { finding: answer, run: trajectory } = await run({ plan: () => Promise.resolve(weaker), search });
    // The second filter finds enough.
    expect(requests).toEqual([undefined, strict, loose]);
    expect(idsOf(answer)).toEqual(['full', 'half', 'half too', 'half as well']);
    expect(trajectory.warnings).toEqual([]);
    expect(trajectory.steps.map(({ reason }) => reason).slice(0, 3)).toEqual([
      undefined,
      'too-few',
      undefined,
    ]);
  });

  it('memories that belong to a named thing are searched in the innermost place of its best match', async () => {
    const plan: Plan = {
      aggregation: 'summarize',
      operands: [{ label: 'a', query: 'the thing', scope: { team: 'alpha' }, follow: 'scope' }],
    };
    const scope = { company: 'acme', team: 'alpha', project: 'p1' };
    const requests: SearchRequest['scope'][] = [];
    const search: ExecutorDependencies['search'] = (_, each) => {
      requests.push(each.scope);
      const inside =
        each.scope?.project === 'p1' ? [{ memory: memory('inside', { scope }), score: 0.1 }] : [];
      return Promise.resolve({
        ...finding(['loud', 0.5]),
        best: [...inside, { memory: memory('thing', { scope }), score: 0.7 }],
      });
    };
    const { finding: answer } = await run({ plan: () => Promise.resolve(plan), search });
    expect(requests).toEqual([undefined, { team: 'alpha' }, { project: 'p1' }]);
    expect(idsOf(answer)).toEqual(['thing', 'inside']);
  });

  it('an operand outside the bounds of the request is not searched', async () => {
    const requests: SearchRequest[] = [];
    const search: ExecutorDependencies['search'] = (_, each) => {
      requests.push(each);
      return Promise.resolve(finding(['x', 0.6]));
    };
    const scope = { team: 'beta' };
    const { run: trajectory } = await run(
      { plan: () => Promise.resolve(conditioned), search },
      {},
      { scope },
    );
    expect(requests.map((each) => each.scope)).toEqual([scope]);
    expect(trajectory.warnings).toEqual(['outside-of-request']);
  });
});

describe('a part about all places of a kind', () => {
  const query = 'compare retries across all teams';
  const across = (more: Partial<Operand> = {}): Partial<ExecutorDependencies> => ({
    plan: () =>
      Promise.resolve({
        aggregation: 'compare',
        operands: [{ label: query, query: 'retries', across: ['team'], ...more }],
      }),
    places: (_, { to, filter }) => {
      expect([to, filter]).toEqual(['team', 'retries']);
      return Promise.resolve({ names: ['alpha', 'beta'], named: false });
    },
    search: (_, { scope }) =>
      Promise.resolve(
        scope?.team === 'beta' ? finding(['beta 1', 0.4]) : finding(['alpha 1', 0.9], ['alpha 2', 0.8]),
      ),
  });

  it('[B4] [B6] is searched everywhere, then in each place, and each place is in the answer', async () => {
    const { finding: found, run: trajectory } = await run(across(), {}, { query, topK: 2 });
    expect(trajectory.steps.map(({ action }) => action)).toEqual([
      ...['SearchLayer', 'SearchLayer', 'DrillDown', 'SearchLayer', 'SearchLayer'],
      ...['FilterByRelevance', 'Aggregate'],
    ]);
    expect(idsOf(found)).toEqual(['alpha 1', 'beta 1']);
  });

  it('[B6] is answered evenly even if the whole question finds more in one place', async () => {
    const inTeam = (team: string, n: number, score: number) => ({
      memory: memory(`${team} ${n}`, { layer: 'team', scope: { company: 'acme', team } }),
      score,
    });
    const { finding: found } = await run(
      {
        ...across(),
        search: (_, { scope, query }) =>
          Promise.resolve({
            ...finding(),
            best:
              scope?.team === 'beta'
                ? [inTeam('beta', 1, 0.4)]
                : [1, 2].map((n) => inTeam('alpha', n + (query === 'retries' ? 0 : 2), 0.9)),
          }),
      },
      {},
      { query, topK: 2 },
    );
    expect(idsOf(found)).toContain('beta 1');
  });

  it('[B4] is searched once if the request is limited to one of the places', async () => {
    const scope = { team: 'alpha' };
    const { run: trajectory } = await run(across(), {}, { query, scope });
    expect(trajectory.steps.map(({ action }) => action)).not.toContain('DrillDown');
  });

  it('[B5] is not decomposed again, because two sets of places would mix', async () => {
    const nested = 'compare the projects and list all of their retries';
    const { run: trajectory } = await run(
      { ...across({ query: nested }), places: () => Promise.resolve({ names: [], named: false }) },
      {},
      { query: `${nested} across all teams` },
    );
    const drills = trajectory.steps.filter(({ action }) => action === 'DrillDown');
    expect(drills).toHaveLength(1);
    expect(trajectory.maxDepth).toBe(0);
  });
});
