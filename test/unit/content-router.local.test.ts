import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/adapters/random.ts';
import { configureBudget } from '../../src/commands/ledger/configure-budget.ts';
import { configureContentRouting } from '../../src/commands/configure-content-routing.ts';
import { commandServices, type CommandContext } from '../../src/commands/context.ts';
import { Ledger } from '../../src/commands/ledger/ledger.ts';
import { configureSpace } from '../../src/commands/spaces/configure-space.ts';
import { spacePresets } from '../../src/domain/spaces/presets.ts';
import { spaceConfigSchema, type SpacePreset } from '../../src/domain/spaces/space-config.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { LexicalIndexUnavailable } from '../../src/ports/lexical-index.ts';
import { ContentRouter } from '../../src/queries/content-routing/content-router.ts';
import { ContentRoutingDirectory } from '../../src/queries/content-routing/content-routing-directory.ts';
import type { SearchService } from '../../src/queries/search/search.ts';
import { SpaceChooser } from '../../src/reactors/space-chooser.ts';
import { openTestStore, type TestStore } from '../support/event-store.ts';
import { fakeLanguageModel } from '../support/fake-language-model.ts';

let test: TestStore;
beforeAll(async () => {
  test = await openTestStore();
});
afterAll(() => test.close());

interface Near {
  readonly spaces: readonly string[];
  readonly relevance: number;
}

/** A router of a new tenant whose nearest memories are `near`. */
async function setUp(presets: Readonly<Record<string, SpacePreset>> = {}) {
  const tenant = `t${newId().replaceAll('-', '')}`;
  const caller = {
    tenant,
    principal: 'system',
    roles: ['admin' as const],
    orgs: [],
    teams: [],
    projects: [],
    sessions: [],
    agents: [],
  };
  const context: CommandContext = { caller, cause: 'system', correlationId: 'routing' };
  const services = commandServices({ store: test.store, vault: test.vault, clock: systemClock, newId });
  const model = fakeLanguageModel({ spaces: [] });
  const ledger = new Ledger(services, { large: { input: 1, output: 1 }, small: { input: 1, output: 1 } });
  const state = { near: [] as readonly Near[] | 'unavailable', inSpaces: true, isAllowed: true };
  const find = async () => {
    if (state.near === 'unavailable') throw new LexicalIndexUnavailable('neither words nor meaning');
    return { best: state.near.map(({ spaces, relevance }) => ({ memory: { spaces }, score: relevance })) };
  };
  for (const [id, preset] of Object.entries(presets))
    await configureSpace(services, context, id, spaceConfigSchema.parse({ ...spacePresets[preset], preset }));
  const directory = new ContentRoutingDirectory(test.store, services.spaces);
  const chooser = new SpaceChooser({
    ledger,
    languageModel: () => model,
    models: { usual: 'large', cheap: 'small' },
    modelOfSpaces: () => Promise.resolve(undefined),
    timeoutMs: 10_000,
    tokenizer: { name: 'o200k_base', counter: async () => countTokens },
    context,
    isAllowed: async () => state.isAllowed,
  });
  const router = new ContentRouter({
    directory,
    spaces: services.spaces,
    search: { find: find as unknown as SearchService['find'] },
    hasMemoriesInSpaces: async () => state.inSpaces,
    model: chooser,
  });
  const route = (text: string, more: object = {}) => router.route(caller, { id: newId(), text, ...more });
  return { tenant, context, services, ledger, model, state, directory, route };
}

const plain = 'Bring a cake to the summer party';

describe('[H2] the spaces of a document', () => {
  it('are those of all rules that hold; nobody asks anything else', async () => {
    const { context, services, route, model } = await setUp();
    const rules = [
      { when: { source: 'cli' }, spaces: ['dev'] },
      { when: { contains: 'party' }, spaces: ['fun', 'dev'] },
    ];
    await configureContentRouting(services, context, { rules, fallback: ['inbox'] });
    expect(await route(plain, { source: 'cli' })).toMatchObject({
      spaces: ['dev', 'fun'],
      because: 'rule',
      details: { rules: [0, 1], configured: true },
    });
    expect(await route('Nothing of it')).toMatchObject({ spaces: ['inbox'], because: 'fallback' });
    expect(model.requests).toEqual([]);
  });

  it('are by the rules of presets until somebody configures others', async () => {
    const { context, services, directory, route } = await setUp({ papers: 'research' });
    expect(await route(plain, { source: 'arxiv_cs_lg' })).toMatchObject({
      spaces: ['papers'],
      because: 'rule',
    });
    await configureContentRouting(services, context, { rules: [] });
    directory.forget();
    expect(await route(plain, { source: 'arxiv_cs_lg' })).toMatchObject({ spaces: [], because: 'none' });
  });

  it('are those that list its source, beside those of rules', async () => {
    const { context, services, directory, route } = await setUp();
    const list = (id: string, more: object) =>
      configureSpace(services, context, id, spaceConfigSchema.parse({ sources: ['tides'], ...more }));
    await list('harbour', {});
    await list('quiet', { autoIngest: false });
    expect(await route(plain, { source: 'tides' })).toMatchObject({
      spaces: ['harbour', 'quiet'],
      because: 'rule',
      details: { rules: [] },
    });
    expect(await route(plain, { source: 'tide' })).toMatchObject({ spaces: [], because: 'none' });
    const rules = [{ when: { contains: 'party' }, spaces: ['fun'] }];
    await configureContentRouting(services, context, { rules });
    directory.forget();
    expect(await route(plain, { source: 'tides' })).toMatchObject({
      spaces: ['fun', 'harbour', 'quiet'],
      details: { rules: [0] },
    });
  });

  it('are none that take nothing by themselves, where nobody asked for the document', async () => {
    const { context, services, state, model, route } = await setUp({ papers: 'research' });
    const quiet = spaceConfigSchema.parse({ autoIngest: false, routingStrategy: 'llm_based' });
    await configureSpace(services, context, 'quiet', quiet);
    await configureContentRouting(services, context, {
      rules: [{ when: { contains: 'party' }, spaces: ['quiet'] }],
      fallback: ['quiet'],
    });
    state.near = [{ spaces: ['quiet'], relevance: 0.7 }];
    const unasked = { isUnasked: true };
    expect(await route(plain, unasked)).toMatchObject({ spaces: [], because: 'none' });
    expect(JSON.stringify(model.requests.at(-1)!.input)).not.toContain('quiet');
    expect(await route(plain)).toMatchObject({ spaces: ['quiet'], because: 'rule' });
  });

  it('are looked for among memories only if any is in a space', async () => {
    const { state, route } = await setUp();
    state.near = [{ spaces: ['bees'], relevance: 0.7 }];
    state.inSpaces = false;
    expect(await route(plain)).toMatchObject({ spaces: [], because: 'none' });
    state.inSpaces = true;
    expect(await route(plain)).toMatchObject({ spaces: ['bees'], because: 'similar' });
  });

  it('are those of memories that are surely alike', async () => {
    const { state, route } = await setUp();
    state.near = [
      { spaces: ['bees'], relevance: 0.7 },
      { spaces: ['bees'], relevance: 0.5 },
      { spaces: ['trams'], relevance: 0.02 },
    ];
    expect(await route(plain)).toMatchObject({ spaces: ['bees'], because: 'similar' });
    state.near = [...state.near, { spaces: ['trams'], relevance: 0.6 }];
    expect(await route(plain)).toMatchObject({ spaces: [], because: 'none' });
    state.near = 'unavailable';
    expect(await route(plain)).toMatchObject({ spaces: [], because: 'none' });
  });

  it('are unsure where the subject and the nearest memories contradict each other', async () => {
    const { state, route } = await setUp({ dev: 'dev_copilot' });
    expect(await route('git and docker')).toMatchObject({ spaces: ['dev'], because: 'similar' });
    state.near = [{ spaces: ['bees'], relevance: 0.7 }];
    expect(await route('git and docker')).toMatchObject({ spaces: [], because: 'none' });
  });

  it('are those that a language model chooses, among spaces that want it', async () => {
    const { tenant, model, route, ledger } = await setUp({ dev: 'dev_copilot', papers: 'research' });
    model.answers = { spaces: [1, 9] };
    expect(await route(plain)).toMatchObject({
      spaces: ['papers'],
      because: 'model',
      details: { model: 'small' },
    });
    expect(JSON.stringify(model.requests[0]!.input)).not.toContain('dev_copilot');
    const { models } = await ledger.state(tenant);
    expect(models).toMatchObject([{ purpose: 'routing', model: 'small', requests: 1 }]);
  });

  it('are the fallback where the model fails, chooses none, is not allowed or costs too much', async () => {
    const { context, services, model, state, route } = await setUp({ papers: 'research' });
    await configureContentRouting(services, context, { rules: [], fallback: ['inbox'] });
    const expected = { spaces: ['inbox'], because: 'fallback' };
    expect(await route(plain)).toMatchObject(expected);
    model.answers = 'unavailable';
    expect(await route(plain)).toMatchObject(expected);
    const asked = model.requests.length;
    state.isAllowed = false;
    expect(await route(plain)).toMatchObject(expected);
    state.isAllowed = true;
    await configureBudget(services, context, { period: 'month', tokens: 10 });
    expect(await route(plain)).toMatchObject(expected);
    expect(model.requests).toHaveLength(asked);
  });
});
