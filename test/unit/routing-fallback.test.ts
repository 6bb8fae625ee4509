import { describe, expect, it } from 'vitest';
import { SqlError } from '../../src/adapters/sql/error.ts';
import type { TenantContext } from '../../src/domain/access/context.ts';
import { rulePolicy } from '../../src/domain/routing/policy.ts';
import { defaultSettings, type RoutingSettings } from '../../src/domain/routing/settings.ts';
import { Executor } from '../../src/queries/routing/executor.ts';
import { RoutedSearch } from '../../src/queries/routing/routed-search.ts';
import type { Planned } from '../../src/queries/routing/trajectory-recorder.ts';
import type { RoutingDirectory } from '../../src/queries/routing/routing-directory.ts';
import type { KeyVault } from '../../src/ports/key-vault.ts';
import type { ReadView } from '../../src/queries/read-models.ts';
import type { Asked } from '../../src/queries/search/answer.ts';
import type { Finding } from '../../src/queries/search/finding.ts';
import type { SearchService } from '../../src/queries/search/search.ts';
import { rulesOnly } from '../support/rules-only.ts';

const request: Asked = {
  query: 'compare a and b across teams',
  topK: 4,
  threshold: 0,
  order: 'relevance',
};
const callerOf = (tenant: string): TenantContext => ({
  tenant,
  principal: 'key:1',
  roles: ['admin'],
  orgs: [],
  teams: [],
  projects: [],
  sessions: [],
  agents: [],
});
const never = new Promise<never>(() => undefined);
const view = { position: 7 } as ReadView;
const plain: Finding = { best: [], position: 7, warnings: [], view };

/** A routed search with a working standard search. The executor's searches are those of the test. */
function routed(
  search: () => Promise<Finding>,
  settings: Partial<RoutingSettings> = {},
  planned: Partial<Planned> = {},
) {
  const failures: unknown[] = [];
  const executor = new Executor({
    plan: (query, _, { depth, recorder }) => {
      recorder.planned({ depth, by: 'rules', durationMs: 1, tokens: 0, ...planned });
      return Promise.resolve({ aggregation: 'combine', operands: [{ label: 'q', query }] });
    },
    policy: rulePolicy,
    clock: { now: () => new Date() },
    searchesAtOnce: 2,
    search,
    places: () => Promise.resolve({ names: [], named: false }),
    mentions: () => Promise.resolve(undefined),
  });
  const service = {
    view: () => Promise.resolve(view),
    find: () => Promise.resolve(plain),
    show: (_: unknown, __: unknown, finding: Finding) => Promise.resolve({ finding, superseding: new Map() }),
  } as unknown as SearchService;
  const all = { ...defaultSettings, ...settings };
  const routedSearch = new RoutedSearch({
    search: service,
    executor,
    directory: {
      settings: () => Promise.resolve(all),
      killed: () => Promise.resolve(false),
      switchedOff: { routing: false, reasoning: false },
    } as unknown as RoutingDirectory,
    policies: rulesOnly,
    posters: { has: async () => false },
    vault: { pseudonym: () => 'signed' } as unknown as KeyVault,
    clock: { now: () => new Date('2026-03-12T15:00:00Z') },
    onFailure: (error) => failures.push(error),
    onReasoningFailure: () => undefined,
    onExecuted: () => undefined,
    onRouted: () => undefined,
  });
  return { routedSearch, failures };
}

const eventsOf = ({ fact }: { fact: { events: readonly { type: string; data: unknown }[] } }) =>
  Object.fromEntries(fact.events.map(({ type, data }) => [type, data as Record<string, unknown>]));

describe('the fallback to the standard search', () => {
  it('[B2] [D9] answers if the executor fails; the failure is logged, recorded, and flagged by a warning', async () => {
    const cause = new Error('broken');
    const { routedSearch, failures } = routed(() => Promise.reject(cause));
    const answer = await routedSearch.search(callerOf('acme'), request);
    expect(answer.warnings).toEqual([{ code: 'partial', detail: expect.any(String) }]);
    expect(failures).toEqual([cause]);
    const { SearchPerformed, TrajectoryRecorded } = eventsOf(answer);
    expect(SearchPerformed).toMatchObject({
      route: 'standard',
      decision: { reason: 'complex' },
      warnings: ['partial'],
    });
    expect(TrajectoryRecorded).toMatchObject({ outcome: 'failed', interruption: 'error', shown: false });
  });

  it('[B2] [B8] answers when the time is up if the executor never does', async () => {
    const budgets = { ...defaultSettings.budgets, wallMs: 300 };
    const { routedSearch } = routed(() => never, { budgets });
    const answer = await routedSearch.search(callerOf('acme'), request);
    expect(answer.warnings).toMatchObject([{ code: 'timed-out' }]);
    expect(eventsOf(answer)['TrajectoryRecorded']).toMatchObject({
      outcome: 'failed',
      interruption: 'wall-time',
    });
  });

  it('[B1] [F4] is not needed if a generation was dropped during the run, which is repeated with a new view', async () => {
    let searches = 0;
    const { routedSearch, failures } = routed(() =>
      searches++ === 0
        ? Promise.reject(new SqlError({ message: 'relation does not exist', code: '42P01' }))
        : Promise.resolve(plain),
    );
    const answer = await routedSearch.search(callerOf('acme'), request);
    expect(answer.warnings).toEqual([]);
    expect(failures).toEqual([]);
    expect(eventsOf(answer)).toMatchObject({
      SearchPerformed: { route: 'decomposition' },
      TrajectoryRecorded: { outcome: 'complete', shown: true },
    });
  });

  it('[B2] [F4] answers if every view of the run is outdated', async () => {
    const cause = new SqlError({ message: 'relation does not exist', code: '42P01' });
    const { routedSearch, failures } = routed(() => Promise.reject(cause));
    const answer = await routedSearch.search(callerOf('acme'), request);
    expect(answer.warnings).toMatchObject([{ code: 'partial' }]);
    expect(failures).toEqual([cause]);
  });

  it('[B2] a breaker stops repeatedly failing runs of one tenant, and does not affect other tenants', async () => {
    let begun = 0;
    const { routedSearch } = routed(() => {
      begun++;
      return Promise.reject(new Error('broken'));
    });
    for (let count = 0; count < 5; count++) await routedSearch.search(callerOf('acme'), request);
    expect(begun).toBe(5);
    const refused = await routedSearch.search(callerOf('acme'), request);
    expect(begun).toBe(5);
    expect(refused.warnings).toMatchObject([{ code: 'partial' }]);
    const { TrajectoryRecorded } = eventsOf(refused);
    expect(TrajectoryRecorded).toMatchObject({ outcome: 'refused', interruption: 'breaker-open', steps: [] });
    await routedSearch.search(callerOf('other'), request);
    expect(begun).toBe(6);
  });

  it('[B2] runs without the help of a failed language model do not count as failures', async () => {
    let isBroken = false;
    const { routedSearch } = routed(
      () => (isBroken ? Promise.reject(new Error('broken')) : Promise.resolve(plain)),
      {},
      { reason: 'unavailable' },
    );
    const outcomes: unknown[] = [];
    for (const broken of [true, true, true, true, false, true, false]) {
      isBroken = broken;
      const answer = await routedSearch.search(callerOf('acme'), request);
      outcomes.push(eventsOf(answer)['TrajectoryRecorded']!['outcome']);
    }
    expect(outcomes).toEqual(['failed', 'failed', 'failed', 'failed', 'partial', 'failed', 'partial']);
  });

  it('[B9] a failing shadow run does not change the answer', async () => {
    const { routedSearch } = routed(() => Promise.reject(new Error('broken')), { shadow: true });
    const answer = await routedSearch.search(callerOf('acme'), request);
    expect(answer.warnings).toEqual([]);
    expect(Object.keys(eventsOf(answer))).toEqual(['SearchPerformed']);
    const later = await answer.later!;
    expect(later.id).toBe(answer.fact.id);
    expect(later.events).toMatchObject([
      { type: 'TrajectoryRecorded', data: { outcome: 'failed', shown: false } },
    ]);
    await routedSearch.settle();
  });
});
