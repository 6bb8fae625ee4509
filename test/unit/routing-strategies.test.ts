import { describe, expect, it } from 'vitest';
import type { Filter } from '../../src/domain/filter.ts';
import type { MemoryView } from '../../src/domain/memory/view.ts';
import type { Plan } from '../../src/domain/routing/plan.ts';
import { rulePolicy } from '../../src/domain/routing/policy.ts';
import { defaultReasoning, type ReasoningSettings } from '../../src/domain/reasoning/settings.ts';
import { defaultSettings, type Budgets } from '../../src/domain/routing/settings.ts';
import { Executor } from '../../src/queries/routing/executor.ts';
import { RefinementCache } from '../../src/queries/reasoning/refinement-cache.ts';
import { Reasoner } from '../../src/queries/reasoning/reasoner.ts';
import type { ReadView } from '../../src/queries/read-models.ts';
import type { SearchRequest } from '../../src/queries/search/query.ts';
import { fakeLanguageModel, type FakeAnswer } from '../support/fake-language-model.ts';
import { adminOf } from '../support/admin.ts';

const caller = adminOf('acme');
const question = 'list everything of alpha';
const [strict, loose] = ['strict', 'loose'].map((value): Filter => ({
  kind: 'test',
  field: 'metadata',
  path: ['status'],
  operator: 'eq',
  value,
}));
const conditioned: Plan = {
  aggregation: 'combine',
  operands: [{ label: 'alpha', query: 'alpha', filter: strict!, otherwise: [loose!] }],
};
const unconditioned: Plan = { aggregation: 'combine', operands: [{ label: question, query: question }] };

interface Circumstances {
  readonly plan?: Plan;
  readonly settings?: Partial<ReasoningSettings>;
  readonly model?: FakeAnswer;
  readonly places?: readonly string[];
  readonly asked?: Partial<SearchRequest>;
  readonly budgets?: Budgets;
}

/** Runs a plan. Each search finds one new memory that meets its conditions. */
async function run({
  plan = conditioned,
  settings,
  model,
  places = [],
  asked,
  budgets = defaultSettings.budgets,
}: Circumstances = {}) {
  const searches: SearchRequest[] = [];
  const fake = model === undefined ? undefined : fakeLanguageModel(model);
  const clock = { now: () => new Date() };
  const view = { position: 7 } as ReadView;
  const executor = new Executor({
    plan: () => Promise.resolve(plan),
    reasoner: new Reasoner({ clock, modelFor: fake && (() => fake), cache: new RefinementCache() }),
    policy: rulePolicy,
    clock,
    searchesAtOnce: 2,
    search: (_, request) => {
      const id = String(searches.push(request));
      const scope = { company: 'acme', ...request.scope };
      const memory = { id, content: `text ${id}`, layer: 'team', scope } as unknown as MemoryView;
      return Promise.resolve({ best: [{ memory, score: 0.5 }], position: 7, warnings: [], view });
    },
    places: () => Promise.resolve({ names: places, named: false }),
    mentions: () => Promise.resolve(undefined),
  });
  const reasoning = { ...defaultReasoning, ...settings };
  const request: SearchRequest = { query: question, topK: 1, threshold: 0, ...asked };
  const execution = await executor.run(caller, request, view, { ...defaultSettings, budgets, reasoning });
  return { ...execution, searches, model: fake };
}

const filtersOf = ({ searches }: { searches: readonly SearchRequest[] }) =>
  searches.map(({ filter }) => filter);

describe('the strategies', () => {
  it('[D-2] targeted searches only what the question names, if that finds enough', async () => {
    const targeted = await run();
    expect(targeted.run.reasoning).toMatchObject([{ strategy: 'targeted', reason: 'conditions-named' }]);
    expect(filtersOf(targeted)).toEqual([undefined, strict]);
  });

  it('[D-2] exhaustive also searches with every weaker condition and without any, for more results each', async () => {
    const exhaustive = await run({ settings: { strategy: 'exhaustive' } });
    expect(filtersOf(exhaustive)).toEqual([undefined, strict, loose, undefined]);
    expect(exhaustive.searches.map(({ query }) => query)).toEqual([question, 'alpha', 'alpha', 'alpha']);
    const most = (of: typeof exhaustive) => Math.max(...of.searches.map(({ topK }) => topK));
    expect(most(exhaustive)).toBeGreaterThan(most(await run()));
    // Results that meet the conditions still come first.
    expect(exhaustive.finding?.best[0]?.memory.id).toBe('2');
  });

  it('[D-2] exhaustive searches more of the places that a question means', async () => {
    const places = Array.from({ length: 20 }, (_, number) => `team-${number}`);
    const plan: Plan = {
      aggregation: 'combine',
      operands: [{ label: 'all teams', query: 'retries of all teams' }],
    };
    const teamsOf = async (strategy: ReasoningSettings['strategy']) => {
      const { searches } = await run({ plan, places, settings: { strategy } });
      return searches.filter(({ scope }) => scope?.team !== undefined).length;
    };
    expect([await teamsOf('targeted'), await teamsOf('exhaustive')]).toEqual([3, 10]);
  });

  it('[D-2] semantic-only does not search for words', async () => {
    const { searches } = await run({ settings: { strategy: 'semantic-only' } });
    expect(searches.map(({ texts }) => texts)).toEqual([
      { dense: question, lexical: undefined },
      { dense: 'alpha', lexical: undefined },
    ]);
    for (const { texts } of (await run()).searches) expect(texts).toBeUndefined();
  });
});

const refinement = {
  strategy: 'targeted',
  why: 'teams are asked about',
  layers: ['team'],
  searches: [{ part: 0, meaning: 'alpha is this', words: 'alpha beta' }],
};

describe('the proposal of a model', () => {
  it('[D-1] is searched in addition to the unchanged question, which remains the first search', async () => {
    const { searches, run: trajectory } = await run({ model: refinement });
    expect(searches.map(({ query, texts }) => [query, texts])).toEqual([
      [question, undefined],
      ['alpha', { dense: 'alpha is this', lexical: 'alpha beta' }],
    ]);
    expect(trajectory).toMatchObject({ outcome: 'complete', reasoning: [{ source: 'model' }] });
    expect(trajectory.arguments[1]).toMatchObject({
      texts: { dense: 'alpha is this', lexical: 'alpha beta' },
    });
  });

  it('[D-2] of semantic-only applies to the parts: the question itself is still searched by its words', async () => {
    const { searches } = await run({ model: { ...refinement, strategy: 'semantic-only' } });
    expect(searches.map(({ texts }) => texts)).toEqual([
      undefined,
      { dense: 'alpha is this', lexical: undefined },
    ]);
  });

  it('[D-3] leaves half of the time of a run to its searches, however slow the model is', async () => {
    const budgets = { ...defaultSettings.budgets, wallMs: 2_000 };
    const { searches, run: trajectory } = await run({ model: 'silence', budgets });
    expect(searches).toHaveLength(2);
    expect(trajectory).toMatchObject({ outcome: 'partial', interruption: 'reasoning-timed-out' });
  });

  it('[D-2] restricts a part without conditions to its layers, within the bounds of the request', async () => {
    const layersOf = async (circumstances: Circumstances) =>
      (await run({ plan: unconditioned, model: refinement, ...circumstances })).searches.map(
        ({ layers }) => layers,
      );
    expect(await layersOf({})).toEqual([undefined, ['team']]);
    expect(await layersOf({ asked: { layers: ['team', 'org'] } })).toEqual([['team', 'org'], ['team']]);
    // If no layer is in both, the layers of the request apply.
    expect(await layersOf({ asked: { layers: ['user'] } })).toEqual([['user'], ['user']]);
    expect(await layersOf({ plan: conditioned })).toEqual([undefined, undefined]);
    expect(await layersOf({ settings: { strategy: 'exhaustive' } })).toEqual([undefined, undefined]);
  });

  it.each([
    ['silence', 'reasoning-timed-out', ['timed-out']],
    ['unavailable', 'reasoning-failed', ['partial']],
  ] as const)(
    '[D-3] [D-7] [D9] after %s the plan is searched unchanged, and the run is recorded as partial',
    async (model, interruption, codes) => {
      const {
        searches,
        finding,
        failures,
        run: trajectory,
      } = await run({ model, settings: { timeoutMs: 100 } });
      expect(searches.map(({ query, texts }) => [query, texts])).toEqual([
        [question, undefined],
        ['alpha', undefined],
      ]);
      expect(finding?.best.length).toBeGreaterThan(0);
      expect(finding?.warnings.map(({ code }) => code)).toEqual(codes);
      expect(JSON.stringify(finding?.warnings)).not.toMatch(/reason|model|refine/);
      expect(trajectory).toMatchObject({ outcome: 'partial', interruption });
      expect(failures).toHaveLength(1);
    },
  );

  it('[D-5] is not requested if the tenant has switched reasoning off: no call, no record', async () => {
    const off = await run({ model: refinement, settings: { enabled: false } });
    expect(off.model?.requests).toEqual([]);
    expect(off.run).toMatchObject({ outcome: 'complete', reasoning: [], expansions: [] });
    expect(filtersOf(off)).toEqual([undefined, strict]);
  });
});
